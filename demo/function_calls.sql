-- What the function centre has done, by the key that its caller gave: the same key again gets the same answer.
create table if not exists demo.function_calls (
    tenant_id text not null references demo.tenants,
    key text not null,
    fingerprint text not null,
    answer jsonb,
    called_at timestamptz not null default now(),
    primary key (tenant_id, key)
);
