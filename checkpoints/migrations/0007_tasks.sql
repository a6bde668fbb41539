-- Work beside conversations. The queue holds only the numbers of these rows: what a task is, and how far, is here.
CREATE TABLE frontdesk.tasks (
    task_id bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
    effect_key text NOT NULL UNIQUE,
    tenant_id text NOT NULL,
    user_id text NOT NULL,
    roles text[] NOT NULL,
    agent text NOT NULL,
    thread_id text,
    turn_id text,
    run_id text,
    tool text NOT NULL,
    title text NOT NULL,
    arguments jsonb NOT NULL CHECK (jsonb_typeof(arguments) = 'object'),
    extra jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(extra) = 'object'),
    locale text NOT NULL,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done', 'failed', 'cancelled')),
    stage text NOT NULL DEFAULT '',
    done bigint,
    total bigint,
    -- What the last step that was committed left for the next one.
    resume jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(resume) = 'object'),
    cancel_requested boolean NOT NULL DEFAULT false,
    -- How often it was taken up; a step of an earlier attempt commits nothing any more.
    attempt integer NOT NULL DEFAULT 0,
    -- How often it was taken up since it last got on.
    tries integer NOT NULL DEFAULT 0,
    job_id bigint,
    result jsonb,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at timestamptz,
    beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    finished_at timestamptz,
    CONSTRAINT finished_when_over CHECK ((status IN ('queued', 'running')) = (finished_at IS NULL))
);

CREATE INDEX tasks_of_owner ON frontdesk.tasks (tenant_id, user_id, task_id DESC);
CREATE INDEX tasks_of_thread ON frontdesk.tasks (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX open_tasks ON frontdesk.tasks (beat_at) WHERE status IN ('queued', 'running');
CREATE INDEX finished_tasks ON frontdesk.tasks (finished_at) WHERE finished_at IS NOT NULL;

-- Which of the queue's own migrations are applied; its tables are in the schema frontdesk_queue.
CREATE TABLE frontdesk.queue_migrations (
    name text PRIMARY KEY,
    applied_at timestamptz NOT NULL DEFAULT now()
);
