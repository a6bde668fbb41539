-- A user's verdict on the answer of a run; it goes with the run.
CREATE TABLE frontdesk.feedback (
    run_id uuid PRIMARY KEY REFERENCES frontdesk.runs ON DELETE CASCADE,
    verdict text NOT NULL CHECK (verdict IN ('up', 'down')),
    comment text,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
