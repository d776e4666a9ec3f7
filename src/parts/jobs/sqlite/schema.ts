import { DEFAULT_KEY } from '../../../core/access/key.ts';

/**
 * Tables of the job store. Frequent queries have partial indexes over few rows: a claim reads only unfinished jobs.
 * `due` is the time from which a job may be claimed, so it is also the end of its lease. With a column for each, and an
 * OR, a claim took five times as long (2026-11-22). For an ended job, `due` is the time of the end. `due` and `ends_at`
 * are times of the monotonic clock; the other times are wall-clock times for clients. The capture fields have their own
 * table: every update writes a whole row, and the fields (with their secrets) are deleted when the job ends.
 * `webhook_jobs` has the rows of removed jobs whose webhook is still to be sent. `ADDED_COLUMNS` and `INDEXES` complete
 * the tables.
 */
export const SCHEMA = `
  CREATE TABLE IF NOT EXISTS jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    due INTEGER NOT NULL,
    token TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    store_path TEXT,
    webhook_url TEXT,
    origin TEXT NOT NULL,
    result TEXT,
    result_bytes INTEGER NOT NULL DEFAULT 0,
    lost_result INTEGER NOT NULL DEFAULT 0,
    error TEXT
  );
  CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs (state, seq);
  CREATE INDEX IF NOT EXISTS jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS jobs_kept ON jobs (finished_at) WHERE result_bytes > 0;

  CREATE TABLE IF NOT EXISTS captures (seq INTEGER PRIMARY KEY, fields TEXT NOT NULL);

  CREATE TABLE IF NOT EXISTS webhooks (
    seq INTEGER PRIMARY KEY,
    due INTEGER NOT NULL,
    token TEXT,
    attempts INTEGER NOT NULL DEFAULT 0
  );
  CREATE INDEX IF NOT EXISTS webhooks_token ON webhooks (token) WHERE token IS NOT NULL;
  CREATE TABLE IF NOT EXISTS webhook_jobs (seq INTEGER PRIMARY KEY, record TEXT NOT NULL);

  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    ids TEXT NOT NULL,
    ends_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS idempotency_ends ON idempotency (ends_at);

  CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY,
    job TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    due INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS files_due ON files (due);

  CREATE TABLE IF NOT EXISTS totals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT OR IGNORE INTO totals VALUES ('result_bytes', 0);
`;

/** Columns that files of earlier versions do not have: table, name, and definition. */
export const ADDED_COLUMNS = [
  ['jobs', 'owner', `TEXT NOT NULL DEFAULT '${DEFAULT_KEY}'`],
  ['jobs', 'capture_bytes', 'INTEGER NOT NULL DEFAULT 0'],
  ['jobs', 'label', 'TEXT'],
  ['jobs', 'traceparent', 'TEXT'],
  ['jobs', 'page_url', 'TEXT'],
  ['jobs', 'tried_once', 'INTEGER NOT NULL DEFAULT 0'],
  ['jobs', 'watch', 'TEXT'],
  ['webhooks', 'owner', `TEXT NOT NULL DEFAULT '${DEFAULT_KEY}'`],
] as const;
export const COUNT_COLUMN = 'SELECT count(*) AS n FROM pragma_table_info(?) WHERE name = ?';

/**
 * Indexes over added columns. Jobs of `default` are not in the index for lists of one key, because `default` lists all
 * jobs. The index of unfinished jobs has all columns that claims and the bound of the queue read. The two others are
 * those of earlier versions.
 */
export const INDEXES = `
  CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs (owner, state, id) WHERE owner <> '${DEFAULT_KEY}';
  CREATE INDEX IF NOT EXISTS jobs_in_turn ON jobs (owner, due, seq, state, capture_bytes) WHERE finished_at IS NULL;
  CREATE INDEX IF NOT EXISTS webhooks_in_turn ON webhooks (owner, due);
  DROP INDEX IF EXISTS jobs_due;
  DROP INDEX IF EXISTS webhooks_due`;

/** Names of all tables and indexes. */
export const SCHEMA_NAMES: readonly string[] = [...(SCHEMA + INDEXES).matchAll(/ IF NOT EXISTS (\w+)/g)].map(
  ([, name = '']) => name,
);

/** Version of the file format. The service does not touch a file with a higher version. */
export const SCHEMA_VERSION = 1;

/**
 * Temporary tables of rows that this version cannot read: jobs, and pending files by the hexadecimal form of their
 * path, which may be damaged too. The tables end with the connection, so another version or a restart reads the rows
 * again.
 */
export const SET_ASIDE = `CREATE TEMP TABLE set_aside (seq INTEGER PRIMARY KEY);
  CREATE TEMP TABLE set_aside_files (hex TEXT PRIMARY KEY)`;

/** Condition that excludes rows that were set aside, so that they never fill a whole batch. */
const READABLE = 'seq NOT IN (SELECT seq FROM set_aside)';

/**
 * Query for the owners with due rows, beginning with the owner after the one that was served last. Each step seeks the
 * next owner in the index, so its cost does not depend on the number of rows.
 * @param rows table and conditions of the rows, up to a further condition
 */
const ownersInTurn = (rows: string, isDue: string): string => `WITH RECURSIVE owners (owner) AS (
    SELECT min(owner) FROM ${rows} UNION ALL
    SELECT (SELECT min(owner) FROM ${rows} AND owner > owners.owner) FROM owners WHERE owners.owner IS NOT NULL
  ) SELECT owner FROM owners WHERE EXISTS (SELECT 1 FROM ${rows} AND owner = owners.owner AND ${isDue})
  ORDER BY owner <= ?, owner`;
const UNFINISHED_JOBS = 'jobs WHERE finished_at IS NULL';
const IS_CLAIMABLE = `due <= ? AND +state IN ('queued', 'running')`;

export const STATEMENTS = {
  setAside: 'INSERT OR IGNORE INTO set_aside VALUES (?)',
  addJob: `INSERT INTO jobs (id, state, due, created_at, store_path, webhook_url, origin, owner, capture_bytes, label, traceparent, page_url, watch, tried_once)
    VALUES (?, 'queued', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  countQueue: `SELECT coalesce(sum(state = 'queued'), 0) AS jobs, coalesce(sum(iif(state = 'queued', capture_bytes, 0)), 0) AS bytes,
    coalesce(sum(state = 'queued' AND owner = ?1), 0) AS ownJobs,
    coalesce(sum(iif(state = 'queued' AND owner = ?1, capture_bytes, 0)), 0) AS ownBytes FROM ${UNFINISHED_JOBS}`,
  addCapture: 'INSERT INTO captures VALUES (?, ?)',
  getKey: 'SELECT fingerprint, ids FROM idempotency WHERE key = ? AND ends_at > ?',
  putKey: 'INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?)',
  dropKeys: 'DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE ends_at <= ? LIMIT ?)',
  get: 'SELECT * FROM jobs WHERE id = ?',
  getBySeq: 'SELECT * FROM jobs WHERE seq = ?',
  list: `SELECT * FROM jobs WHERE state = ? AND seq < ? AND ${READABLE} ORDER BY seq DESC LIMIT ?`,
  // The second condition on the owner is that of the partial index.
  listOwned: `SELECT * FROM jobs INDEXED BY jobs_by_owner WHERE owner = ? AND owner <> '${DEFAULT_KEY}' AND state = ?
    AND id < ? AND ${READABLE} ORDER BY id DESC LIMIT ?`,
  jobOwners: ownersInTurn(UNFINISHED_JOBS, IS_CLAIMABLE),
  nextJob: `SELECT jobs.seq, id, owner, attempts, store_path, traceparent, tried_once, watch, fields FROM jobs LEFT JOIN captures USING (seq)
    WHERE finished_at IS NULL AND owner = ? AND ${IS_CLAIMABLE} ORDER BY due, seq LIMIT 1`,
  takeJob: `UPDATE jobs SET state = 'running', due = ?, token = ?, attempts = attempts + 1, started_at = ?
    WHERE seq = ?`,
  leaseAnew: 'UPDATE jobs SET due = ? WHERE finished_at IS NULL AND due > ?',
  sendNow: 'UPDATE webhooks SET due = ? WHERE due > ?',
  heartbeat: 'UPDATE jobs SET due = ? WHERE id = ? AND token = ?',
  requeue: `UPDATE jobs SET state = 'queued', token = NULL, due = ?, error = ? WHERE id = ? AND token = ?`,
  giveBack: `UPDATE jobs SET state = 'queued', token = NULL, due = 0, attempts = attempts - 1
    WHERE id = ? AND token = ?`,
  end: `UPDATE jobs SET state = ?, token = NULL, finished_at = ?, due = ?, result = ?, result_bytes = ?, error = ?
    WHERE id = ? AND token = ? RETURNING seq, owner, webhook_url`,
  endUnreadable: `UPDATE jobs SET state = 'failed', token = NULL, finished_at = ?, due = ?, error = ?
    WHERE seq = ? RETURNING seq, owner, webhook_url`,
  cancel: `UPDATE jobs SET state = 'cancelled', token = NULL, finished_at = ?, due = ?, error = NULL
    WHERE id = ? AND finished_at IS NULL RETURNING seq, owner, webhook_url`,
  dropCapture: 'DELETE FROM captures WHERE seq = ?',
  addWebhook: 'INSERT INTO webhooks (seq, due, owner) VALUES (?, ?, ?)',
  addBytes: `UPDATE totals SET value = value + ? WHERE name = 'result_bytes'`,
  getBytes: `SELECT CAST(coalesce(sum(value), 0) AS INTEGER) AS value FROM totals WHERE name = 'result_bytes'`,
  old: `SELECT * FROM jobs WHERE finished_at IS NOT NULL AND finished_at < ? AND due < ? AND ${READABLE}
    ORDER BY finished_at LIMIT ?`,
  large: `SELECT * FROM jobs WHERE result_bytes > 0 AND ${READABLE} ORDER BY finished_at LIMIT ?`,
  getEnded: 'SELECT * FROM jobs WHERE id = ? AND finished_at IS NOT NULL',
  remove: 'DELETE FROM jobs WHERE seq = ? RETURNING CAST(result_bytes AS INTEGER) AS result_bytes',
  getResultBytes: `SELECT CAST(result_bytes AS INTEGER) AS result_bytes FROM jobs
    WHERE id = ? AND result_bytes > 0`,
  withdraw: 'DELETE FROM jobs WHERE id = ? AND finished_at IS NULL RETURNING seq',
  loseResult: 'UPDATE jobs SET result_bytes = 0, result = NULL, lost_result = 1 WHERE id = ?',
  hasWebhook: 'SELECT 1 FROM webhooks WHERE seq = ?',
  webhookOwners: ownersInTurn(`webhooks WHERE ${READABLE}`, 'due <= ?'),
  nextWebhook: `SELECT seq, owner, CAST(attempts AS INTEGER) AS attempts FROM webhooks
    WHERE owner = ? AND due <= ? AND ${READABLE} ORDER BY due, seq LIMIT 1`,
  takeWebhook: 'UPDATE webhooks SET due = ?, token = ?, attempts = ? WHERE seq = ?',
  keepForWebhook: 'INSERT OR REPLACE INTO webhook_jobs VALUES (?, ?)',
  getWebhookJob: 'SELECT record FROM webhook_jobs WHERE seq = ?',
  dropWebhookJob: 'DELETE FROM webhook_jobs WHERE seq = ?',
  dropWebhook: 'DELETE FROM webhooks WHERE seq = ?',
  endWebhook: 'DELETE FROM webhooks WHERE token = ? RETURNING seq',
  forgetWebhookUrl: 'UPDATE jobs SET webhook_url = NULL WHERE seq = ?',
  retryWebhook: 'UPDATE webhooks SET due = ?, token = NULL WHERE token = ?',
  giveBackWebhook: 'UPDATE webhooks SET due = 0, token = NULL, attempts = attempts - 1 WHERE token = ?',
  recordFile: 'INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)',
  dueFiles: `SELECT path, job, attempt, recorded_at, hex(path) AS hex FROM files
    WHERE due <= ? AND hex(path) NOT IN (SELECT hex FROM set_aside_files) ORDER BY due LIMIT ?`,
  setAsideFile: 'INSERT OR IGNORE INTO set_aside_files VALUES (?)',
  forgetFile: 'DELETE FROM files WHERE path = ?',
  checkFilesNow: 'UPDATE files SET due = ? WHERE due > ?',
  countState: 'SELECT count(*) AS n FROM jobs WHERE state = ?',
  countWebhooks: 'SELECT count(*) AS n FROM webhooks',
  // Writes without a change, which detects a full disk or a held lock even without any job.
  probe: `UPDATE totals SET value = value WHERE name = 'result_bytes'`,
  // Moves all pages into the database and empties the WAL, because its pages still hold deleted secrets.
  emptyWal: 'PRAGMA wal_checkpoint(TRUNCATE)',
} as const;
