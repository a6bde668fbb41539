-- One row for each call with an effect. It outlives its thread, so nothing here refers to another table.
CREATE TABLE frontdesk.ledger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    effect_key text NOT NULL UNIQUE,
    business_key text,
    tenant_id text NOT NULL,
    user_id text NOT NULL,
    thread_id text,
    turn_id text,
    run_id text,
    tool text NOT NULL,
    arguments jsonb,
    status text NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'done', 'failed')),
    result jsonb,
    started_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    settled_by text,
    note text
);

CREATE UNIQUE INDEX one_effect_per_business_key ON frontdesk.ledger (tenant_id, tool, business_key)
    WHERE business_key IS NOT NULL AND status <> 'failed';
CREATE INDEX ledger_of_thread ON frontdesk.ledger (thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX unsettled_effects ON frontdesk.ledger (started_at) WHERE status = 'started';
CREATE INDEX settled_effects ON frontdesk.ledger (finished_at) WHERE status <> 'started';
