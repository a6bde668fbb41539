CREATE TABLE frontdesk.runs (
    run_id uuid PRIMARY KEY,
    thread_id uuid NOT NULL REFERENCES frontdesk.threads ON DELETE CASCADE,
    tenant_id text NOT NULL,
    user_id text NOT NULL,
    turn_id text NOT NULL,
    status text NOT NULL CHECK (status IN ('pending', 'running', 'success', 'error', 'timeout', 'interrupted')),
    input jsonb NOT NULL CHECK (jsonb_typeof(input) = 'object'),
    context jsonb NOT NULL CHECK (jsonb_typeof(context) = 'object'),
    multitask_strategy text NOT NULL DEFAULT 'enqueue'
        CHECK (multitask_strategy IN ('enqueue', 'reject', 'interrupt', 'rollback')),
    idempotency_key text,
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    kwargs jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(kwargs) = 'object'),
    cancel_action text CHECK (cancel_action IN ('interrupt', 'rollback')),
    attempt integer NOT NULL DEFAULT 0,
    lease_owner text,
    lease_until timestamptz,
    -- Where the thread stood when the run began, and which writes were already on that checkpoint.
    first_checkpoint_id text,
    first_writes jsonb,
    result jsonb,
    transcript jsonb,
    error jsonb,
    usage jsonb,
    agents jsonb,
    model text,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT leased_while_running CHECK ((status = 'running') = (lease_until IS NOT NULL))
);

CREATE UNIQUE INDEX one_running_per_thread ON frontdesk.runs (thread_id) WHERE status = 'running';
CREATE UNIQUE INDEX one_run_per_idempotency_key ON frontdesk.runs (tenant_id, user_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX runs_of_thread ON frontdesk.runs (thread_id, created_at, run_id);
CREATE INDEX runs_by_lease ON frontdesk.runs (lease_until) WHERE status = 'running';
CREATE INDEX pending_runs ON frontdesk.runs (thread_id, created_at, run_id) WHERE status = 'pending';
CREATE INDEX runs_to_empty ON frontdesk.runs (finished_at) WHERE input <> '{}';

-- Whatever was running before there were runs is not running any more.
UPDATE frontdesk.threads SET status = CASE WHEN interrupts = '{}' THEN 'idle' ELSE 'interrupted' END
WHERE status = 'busy';
