-- What operators have stopped. A switch that was never set has no row; the empty name stands for all changes.
CREATE TABLE frontdesk.switches (
    tool text PRIMARY KEY,
    stopped boolean NOT NULL,
    changed_at timestamptz NOT NULL,
    changed_by text NOT NULL,
    note text
);
