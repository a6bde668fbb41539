CREATE TABLE frontdesk.threads (
    thread_id uuid PRIMARY KEY,
    tenant_id text NOT NULL,
    user_id text NOT NULL,
    title text,
    status text NOT NULL DEFAULT 'idle' CHECK (status IN ('idle', 'busy', 'interrupted', 'error')),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    config jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(config) = 'object'),
    "values" jsonb,
    interrupts jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(interrupts) = 'object'),
    error jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    state_updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX threads_of_owner ON frontdesk.threads (tenant_id, user_id, updated_at DESC, thread_id);
CREATE INDEX threads_of_tenant ON frontdesk.threads (tenant_id, updated_at DESC, thread_id);
CREATE INDEX threads_by_metadata ON frontdesk.threads USING gin (metadata jsonb_path_ops);
