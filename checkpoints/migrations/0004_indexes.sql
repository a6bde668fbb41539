-- Prefixes of the primary keys. A plan that was made while the tables were small used them, and read a whole thread.
DROP INDEX IF EXISTS checkpoints_thread_id_idx, checkpoint_blobs_thread_id_idx, checkpoint_writes_thread_id_idx;
