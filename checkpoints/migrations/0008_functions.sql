-- What each function centre listed last, so that a desk can start while it is down. Text: it is another process's JSON.
CREATE TABLE frontdesk.function_lists (
    url text PRIMARY KEY,
    functions text NOT NULL,
    listed_at timestamptz NOT NULL DEFAULT now()
);
