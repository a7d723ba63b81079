/** A change of the schema. It is applied once, in order of `version`, in one transaction. */
export interface Migration {
  readonly version: number;
  readonly about: string;
  readonly sql: string;
}

/**
 * The schema of a fleet (docs/fleet.md, "Database"). A released migration never changes. A new
 * one must be compatible with the version of raymond before it.
 */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    about: "initial schema",
    sql: `
CREATE TABLE raymond.workflows (
  hash text PRIMARY KEY,
  name text NOT NULL,
  bytes bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE raymond.workflows ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE raymond.holders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  lock_key bigint NOT NULL UNIQUE,
  machine text,
  host text NOT NULL,
  pid integer NOT NULL,
  identity text NOT NULL,
  place jsonb NOT NULL,
  started_at timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now()
);

-- A holder lives if its lease has not expired and it holds its lock, or may be about to reacquire it.
CREATE FUNCTION raymond.is_alive(holder raymond.holders) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT silent < ttl AND (
    silent < ttl / 3
    OR holder.heartbeat_at < pg_postmaster_start_time()
    OR EXISTS (
      SELECT 1 FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid::bigint = holder.lock_key >> 32
        AND objid::bigint = holder.lock_key & 4294967295
    )
  )
  FROM (SELECT
    clock_timestamp() - holder.heartbeat_at AS silent,
    coalesce((holder.place->>'ttlMs')::double precision, 30000) * interval '1 millisecond' AS ttl
  ) AS heartbeat
$$;

CREATE TABLE raymond.machines (
  id text PRIMARY KEY,
  holder bigint REFERENCES raymond.holders ON DELETE SET NULL,
  pools text[] NOT NULL DEFAULT '{}',
  accounts text[] NOT NULL DEFAULT '{}',
  slots integer NOT NULL DEFAULT 1,
  version text NOT NULL DEFAULT '',
  draining boolean NOT NULL DEFAULT false,
  facts jsonb NOT NULL DEFAULT '{}',
  joined_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE raymond.accounts (
  name text PRIMARY KEY,
  max_runs integer,
  rate_runs integer,
  rate_ms bigint,
  slots integer,
  per_day_micro_usd bigint,
  cooldown_until timestamptz,
  cooldown_message text,
  cooldown_tries integer NOT NULL DEFAULT 0,
  probe text,
  probed_by bigint REFERENCES raymond.holders ON DELETE SET NULL
);

CREATE TABLE raymond.account_days (
  account text NOT NULL,
  day date NOT NULL,
  micro_usd bigint NOT NULL,
  PRIMARY KEY (account, day)
);

CREATE TABLE raymond.slots (
  account text NOT NULL REFERENCES raymond.accounts ON DELETE CASCADE,
  number integer NOT NULL,
  holder bigint REFERENCES raymond.holders ON DELETE SET NULL,
  run text,
  agent text,
  process bigint,
  acquired_at timestamptz,
  PRIMARY KEY (account, number)
);

-- One sequence for all runs, so that no epoch is ever reused, even for a run id that was deleted.
CREATE SEQUENCE raymond.epochs;

CREATE TABLE raymond.runs (
  id text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL DEFAULT 0,
  token uuid,
  epoch bigint NOT NULL DEFAULT 0,
  holder bigint REFERENCES raymond.holders ON DELETE SET NULL,
  saved_at timestamptz NOT NULL DEFAULT now(),
  status text,
  workflow text,
  simulated boolean,
  cost_micro_usd bigint,
  steps bigint,
  agents integer,
  started_at text COLLATE "C",
  updated_at text,
  waits_until text,
  questions text,
  home text,
  pool text,
  account text,
  workflow_hash text REFERENCES raymond.workflows,
  placement jsonb NOT NULL DEFAULT '{}',
  set_aside text,
  submitted_at timestamptz,
  admitted_by bigint REFERENCES raymond.holders ON DELETE SET NULL,
  state text
) WITH (toast_tuple_target = 128, fillfactor = 80);
CREATE INDEX runs_started ON raymond.runs (started_at DESC, id DESC) WHERE state IS NOT NULL;
CREATE INDEX runs_status ON raymond.runs (status, started_at DESC, id DESC) WHERE state IS NOT NULL;
CREATE INDEX runs_holder ON raymond.runs (holder) WHERE holder IS NOT NULL;
CREATE INDEX runs_home ON raymond.runs (home) WHERE status IN ('running', 'waiting');
CREATE INDEX runs_admitted ON raymond.runs (account) WHERE admitted_by IS NOT NULL;
CREATE INDEX runs_unqueued ON raymond.runs (id) WHERE placement @> '{"open": true, "queued": false}';
CREATE INDEX runs_same_id ON raymond.runs (lower(id));

CREATE TABLE raymond.run_starts (
  run text COLLATE "C" NOT NULL,
  entry integer NOT NULL,
  account text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run, entry)
);
CREATE INDEX run_starts_account ON raymond.run_starts (account, at);

CREATE TABLE raymond.waiters (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  agent text NOT NULL,
  account text NOT NULL,
  holder bigint NOT NULL REFERENCES raymond.holders ON DELETE CASCADE,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run, agent)
);
CREATE INDEX waiters_account ON raymond.waiters (account);

CREATE TABLE raymond.payloads (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  file text NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (run, file)
);

CREATE TABLE raymond.events (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  seq bigint NOT NULL,
  line text NOT NULL,
  PRIMARY KEY (run, seq)
);

CREATE TABLE raymond.journal (
  id bigint GENERATED ALWAYS AS IDENTITY,
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  save bigint NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (run, id)
);

CREATE TABLE raymond.ledger (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  agent text NOT NULL,
  process bigint NOT NULL,
  state text NOT NULL,
  account text,
  micro_usd bigint NOT NULL,
  estimated_micro_usd bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run, agent, process)
);

CREATE TABLE raymond.transcripts (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  session text NOT NULL,
  file text NOT NULL,
  start bigint NOT NULL,
  epoch bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (run, session, file, start)
);

CREATE TABLE raymond.conversations (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  session text NOT NULL,
  save bigint NOT NULL,
  length bigint NOT NULL,
  PRIMARY KEY (run, session, save)
);

CREATE TABLE raymond.answers (
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  agent text NOT NULL,
  number bigint NOT NULL,
  answer text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (run, agent, number)
);

CREATE TABLE raymond.control_requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run text COLLATE "C" NOT NULL REFERENCES raymond.runs ON DELETE CASCADE,
  request text NOT NULL,
  at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX control_requests_run ON raymond.control_requests (run, id);

CREATE TABLE raymond.schedules (
  name text COLLATE "C" PRIMARY KEY,
  cron text NOT NULL,
  zone text NOT NULL,
  next_at timestamptz NOT NULL,
  paused boolean NOT NULL DEFAULT false,
  run text NOT NULL,
  placement text NOT NULL,
  workflow_hash text NOT NULL REFERENCES raymond.workflows,
  last_run text,
  last_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX schedules_next ON raymond.schedules (next_at) WHERE NOT paused;
`,
  },
  {
    version: 2,
    about: "audit table, and the database users of runs and holders",
    sql: `
ALTER TABLE raymond.runs ADD COLUMN submitted_by name NOT NULL DEFAULT session_user;
ALTER TABLE raymond.holders ADD COLUMN db_user name NOT NULL DEFAULT session_user;

-- No foreign key: entries outlive their runs.
CREATE TABLE raymond.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  action text NOT NULL,
  run text COLLATE "C",
  actor jsonb NOT NULL,
  detail text NOT NULL DEFAULT '',
  db_user name NOT NULL DEFAULT session_user
);
CREATE INDEX audit_run ON raymond.audit (run, id);
`,
  },
];

/** The schema version that this version of raymond requires. */
export const SCHEMA_VERSION = MIGRATIONS.length;
