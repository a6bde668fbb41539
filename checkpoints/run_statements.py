"""The SQL of runs and their leases. The clock is always the database's; a thread's row is locked before its runs'."""

from checkpoints.statements import HEAD_BEFORE

OPEN_THREAD = """
INSERT INTO frontdesk.threads (thread_id, tenant_id, user_id, title, metadata, status)
VALUES (%(thread_id)s, %(tenant)s, %(user)s, %(title)s, %(labels)s, 'busy')"""
# Without its values: they are large, and nobody judges by them whether a run may begin.
LOCK_THREAD = """
SELECT thread_id, tenant_id, user_id, title, status, metadata, config, NULL AS "values", interrupts, error, created_at,
    updated_at, state_updated_at FROM frontdesk.threads
WHERE thread_id = %(thread_id)s AND tenant_id = %(tenant)s AND user_id = %(user)s FOR UPDATE"""
LOCK_THREAD_OF_RUN = """
SELECT t.thread_id, r.status FROM frontdesk.threads t JOIN frontdesk.runs r USING (thread_id)
WHERE r.run_id = %(run_id)s FOR UPDATE OF t"""
BUSY_THREAD = """
UPDATE frontdesk.threads SET status = 'busy', error = NULL, title = coalesce(title, %(title)s),
    metadata = metadata || %(labels)s, updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s"""
# The last of the runs that waited is gone: the thread stands where it stood before them.
CALM_THREAD = """
UPDATE frontdesk.threads t SET status = CASE WHEN interrupts = '{}' THEN 'idle' ELSE 'interrupted' END,
    error = %(error)s, updated_at = clock_timestamp()
WHERE thread_id = %(thread_id)s
    AND NOT EXISTS (SELECT 1 FROM frontdesk.runs r WHERE r.thread_id = t.thread_id AND r.status = 'running')
    AND NOT EXISTS (SELECT 1 FROM frontdesk.runs r WHERE r.thread_id = t.thread_id AND r.status = 'pending')"""

_LEASE = "clock_timestamp() + make_interval(secs => %(lease_s)s)"
# Later than the run before it, even where the clock went backwards: runs of a thread are served in this order.
_INSERT = """
INSERT INTO frontdesk.runs (
    run_id, thread_id, tenant_id, user_id, turn_id, input, context, multitask_strategy, idempotency_key, metadata,
    kwargs, created_at, status, attempt, lease_owner, lease_until, started_at, first_checkpoint_id, first_writes)
SELECT %(run_id)s, %(thread_id)s, %(tenant)s, %(user)s, %(turn_id)s, %(input)s, %(context)s, %(strategy)s,
    %(idempotency_key)s, %(metadata)s, %(kwargs)s, greatest(clock_timestamp(), (
        SELECT max(created_at) + interval '1 microsecond' FROM frontdesk.runs WHERE thread_id = %(thread_id)s)), """
_UNLESS_REPEATED = """
ON CONFLICT (tenant_id, user_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING RETURNING *"""
INSERT_PENDING = f"{_INSERT} 'pending', 0, NULL, NULL, NULL, NULL, NULL {_UNLESS_REPEATED}"
INSERT_RUNNING = f"""{_INSERT}
    'running', 1, %(owner)s, {_LEASE}, clock_timestamp(), head.checkpoint_id, head.writes
FROM (SELECT %(thread_id)s::uuid AS thread_id) AS picked {HEAD_BEFORE} {_UNLESS_REPEATED}"""

# A new thread, on which there is no checkpoint, and its first run at once.
OPEN_PENDING = f"WITH opened AS ({OPEN_THREAD}) {INSERT_PENDING}"
OPEN_RUNNING = f"""WITH opened AS ({OPEN_THREAD}) {_INSERT}
    'running', 1, %(owner)s, {_LEASE}, clock_timestamp(), NULL, NULL {_UNLESS_REPEATED}"""

GET = """
SELECT * FROM frontdesk.runs
WHERE run_id = %(run_id)s AND tenant_id = %(tenant)s AND user_id = %(user)s
    AND (%(thread_id)s::uuid IS NULL OR thread_id = %(thread_id)s)"""
STATUSES = "SELECT run_id, status FROM frontdesk.runs WHERE run_id = ANY(%s)"
BY_KEY = """
SELECT * FROM frontdesk.runs
WHERE tenant_id = %(tenant)s AND user_id = %(user)s AND idempotency_key = %(idempotency_key)s"""
# Two parts, each with an index of its own: a thread may have thousands of runs that are over.
IN_FLIGHT = """
SELECT run_id FROM frontdesk.runs WHERE thread_id = %(thread_id)s AND status = 'running'
UNION ALL SELECT run_id FROM frontdesk.runs WHERE thread_id = %(thread_id)s AND status = 'pending' LIMIT 1"""
NEXT_WAITING = """
SELECT run_id FROM frontdesk.runs WHERE thread_id = %(thread_id)s AND status = 'pending'
ORDER BY created_at, run_id LIMIT 1"""
OF_THREAD = """
SELECT * FROM frontdesk.runs
WHERE thread_id = %(thread_id)s AND tenant_id = %(tenant)s AND user_id = %(user)s
    AND (%(status)s::text IS NULL OR status = %(status)s)
ORDER BY created_at DESC, run_id DESC LIMIT %(limit)s OFFSET %(offset)s"""
_TURNS = """
WITH turns AS (
    SELECT turn_id, min(created_at) AS began FROM frontdesk.runs
    WHERE thread_id = %(thread_id)s AND tenant_id = %(tenant)s AND user_id = %(user)s
    GROUP BY turn_id ORDER BY began {order} LIMIT %(limit)s OFFSET %(offset)s
)
SELECT r.* FROM frontdesk.runs r JOIN turns USING (turn_id) WHERE r.thread_id = %(thread_id)s
ORDER BY turns.began {order}, r.created_at, r.run_id"""
TURNS = _TURNS.format(order="ASC")
NEWEST_TURNS = _TURNS.format(order="DESC")
STUCK = """
SELECT * FROM frontdesk.runs WHERE status IN ('pending', 'running')
    AND coalesce(started_at, created_at) <= clock_timestamp() - make_interval(secs => %(older_than_s)s)
ORDER BY created_at, run_id LIMIT %(limit)s"""

_DROP = """
UPDATE frontdesk.runs SET status = 'interrupted', cancel_action = %(action)s, error = %(error)s,
    finished_at = clock_timestamp(), updated_at = clock_timestamp() """
_CANCEL = """
UPDATE frontdesk.runs SET updated_at = clock_timestamp(),
    cancel_action = CASE WHEN cancel_action = 'rollback' THEN 'rollback' ELSE %(action)s END """
DROP_RUN = f"{_DROP} WHERE run_id = %(run_id)s AND status = 'pending' RETURNING *"
CANCEL_RUN = f"{_CANCEL} WHERE run_id = %(run_id)s AND status = 'running' RETURNING *"
DELETE_RUN = "DELETE FROM frontdesk.runs WHERE run_id = %(run_id)s"
DROP_WAITING = f"{_DROP} WHERE thread_id = %(thread_id)s AND status = 'pending' RETURNING run_id"
CANCEL_RUNNING = f"{_CANCEL} WHERE thread_id = %(thread_id)s AND status = 'running' RETURNING run_id"

_MINE = "run_id = %(run_id)s AND lease_owner = %(owner)s AND status = 'running'"
STILL_MINE = f"SELECT 1 FROM frontdesk.runs WHERE {_MINE}"  # noqa: S608
DELETE_MINE = f"DELETE FROM frontdesk.runs WHERE {_MINE} RETURNING *"  # noqa: S608
END = f"""
WITH ended AS (
    UPDATE frontdesk.runs SET status = %(status)s, turn_id = coalesce(%(turn_id)s, turn_id),
        result = %(result)s, transcript = %(transcript)s, error = %(error)s,
        usage = %(usage)s, agents = %(agents)s, model = %(model)s, lease_until = NULL,
        finished_at = clock_timestamp(), updated_at = clock_timestamp()
    WHERE {_MINE} RETURNING thread_id
)
UPDATE frontdesk.threads t SET status = CASE WHEN waiting.run_id IS NULL THEN %(thread_status)s ELSE 'busy' END,
    "values" = coalesce(%(values)s, "values"), interrupts = coalesce(%(interrupts)s, interrupts),
    error = %(thread_error)s, updated_at = clock_timestamp(), state_updated_at = clock_timestamp()
FROM ended LEFT JOIN LATERAL (
    SELECT run_id FROM frontdesk.runs p WHERE p.thread_id = ended.thread_id AND p.status = 'pending'
    ORDER BY created_at, run_id LIMIT 1
) AS waiting ON true
WHERE t.thread_id = ended.thread_id RETURNING waiting.run_id"""  # noqa: S608

_START = f"""
UPDATE frontdesk.runs r SET status = 'running', attempt = 1, lease_owner = %(owner)s, lease_until = {_LEASE},
    started_at = clock_timestamp(), updated_at = clock_timestamp(),
    first_checkpoint_id = head.checkpoint_id, first_writes = head.writes
FROM picked {HEAD_BEFORE}
WHERE r.run_id = picked.run_id AND r.status = 'pending' RETURNING r.*"""  # noqa: S608
CLAIM = f"""
WITH picked AS (
    SELECT run_id, thread_id FROM frontdesk.runs p WHERE thread_id = %(thread_id)s AND status = 'pending'
    AND NOT EXISTS (SELECT 1 FROM frontdesk.runs o WHERE o.thread_id = p.thread_id AND o.status = 'running')
    ORDER BY created_at, run_id LIMIT 1
) {_START}"""  # noqa: S608
CLAIM_ANY = f"""
WITH picked AS (
    SELECT run_id, thread_id FROM frontdesk.runs p WHERE status = 'pending' AND NOT EXISTS (
        SELECT 1 FROM frontdesk.runs o WHERE o.thread_id = p.thread_id AND (o.status = 'running'
        OR (o.status = 'pending' AND (o.created_at, o.run_id) < (p.created_at, p.run_id))))
    ORDER BY created_at, run_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
) {_START}"""  # noqa: S608
RENEW = f"""
UPDATE frontdesk.runs SET lease_until = {_LEASE}
WHERE run_id = ANY(%(run_ids)s) AND lease_owner = %(owner)s AND status = 'running'
RETURNING run_id, cancel_action"""  # noqa: S608
# A lease that ends later than any may is from before the clock went backwards.
TAKE_OVER = f"""
WITH picked AS (
    SELECT run_id FROM frontdesk.runs WHERE status = 'running' AND (
        lease_until <= clock_timestamp() OR lease_until > clock_timestamp() + make_interval(secs => %(longest_s)s))
    ORDER BY lease_until LIMIT %(limit)s FOR UPDATE SKIP LOCKED
)
UPDATE frontdesk.runs r SET attempt = attempt + 1, lease_owner = %(owner)s, lease_until = {_LEASE},
    updated_at = clock_timestamp()
FROM picked WHERE r.run_id = picked.run_id RETURNING r.*"""  # noqa: S608
RELEASE = """
UPDATE frontdesk.runs SET lease_owner = NULL, lease_until = 'epoch', updated_at = clock_timestamp()
WHERE run_id = ANY(%(run_ids)s) AND lease_owner = %(owner)s AND status = 'running'"""

# Over the thread, for which the ledger has an index.
HAS_EFFECTS = """
SELECT 1 FROM frontdesk.runs r JOIN frontdesk.ledger l ON l.thread_id = r.thread_id::text AND l.run_id = r.run_id::text
WHERE r.run_id = %(run_id)s AND l.status <> 'failed' LIMIT 1"""
