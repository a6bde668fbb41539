-- One row for each call that was made, refused or asked about. It outlives its thread, so nothing here refers to another
-- table; the ids are UUIDs of version 7, so that their order is that of time.
CREATE TABLE frontdesk.audit (
    id uuid PRIMARY KEY,
    at timestamptz NOT NULL,
    tenant_id text NOT NULL,
    user_id text NOT NULL,
    roles jsonb NOT NULL,
    thread_id text,
    turn_id text,
    run_id text,
    call_id text,
    undoes text,
    agent text NOT NULL,
    tool text NOT NULL,
    arguments jsonb,
    result text,
    source text NOT NULL,
    outcome text NOT NULL,
    reason text NOT NULL,
    confirmation jsonb,
    elapsed_ms double precision NOT NULL
);

CREATE INDEX audit_of_tenant ON frontdesk.audit (tenant_id, id);
CREATE INDEX audit_of_thread ON frontdesk.audit (thread_id) WHERE thread_id IS NOT NULL;

-- Insert only. What lets go of rows says so in its transaction, and can then delete, or blank what a thread owned.
CREATE FUNCTION frontdesk.keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    blanked frontdesk.audit;
BEGIN
    IF current_setting('frontdesk.audit_lets_go', true) = 'on' THEN
        IF TG_OP = 'DELETE' THEN
            RETURN OLD;
        ELSIF TG_OP = 'UPDATE' THEN
            blanked := OLD;
            blanked.thread_id := NULL;
            blanked.turn_id := NULL;
            blanked.run_id := NULL;
            blanked.call_id := NULL;
            blanked.undoes := NULL;
            blanked.arguments := NULL;
            blanked.result := NULL;
            blanked.confirmation := NULL;
            IF NEW IS NOT DISTINCT FROM blanked THEN
                RETURN NEW;
            END IF;
        END IF;
    END IF;
    RAISE EXCEPTION 'the audit is insert only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_is_kept BEFORE UPDATE OR DELETE ON frontdesk.audit
    FOR EACH ROW EXECUTE FUNCTION frontdesk.keep_audit();
CREATE TRIGGER audit_is_kept_whole BEFORE TRUNCATE ON frontdesk.audit
    FOR EACH STATEMENT EXECUTE FUNCTION frontdesk.keep_audit();

CREATE FUNCTION frontdesk.blank_audit_of(threads text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('frontdesk.audit_lets_go', 'on', true);
    UPDATE frontdesk.audit SET thread_id = NULL, turn_id = NULL, run_id = NULL, call_id = NULL, undoes = NULL,
        arguments = NULL, result = NULL, confirmation = NULL
    WHERE thread_id = ANY(threads);
    PERFORM set_config('frontdesk.audit_lets_go', 'off', true);
END $$;

CREATE FUNCTION frontdesk.delete_audit_below(bound uuid, most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    deleted bigint;
BEGIN
    PERFORM set_config('frontdesk.audit_lets_go', 'on', true);
    DELETE FROM frontdesk.audit WHERE id IN (
        SELECT id FROM frontdesk.audit WHERE id < bound ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    PERFORM set_config('frontdesk.audit_lets_go', 'off', true);
    RETURN deleted;
END $$;
