/**
 * What is asked for often has an index of its own, over few rows: who looks for work looks at jobs that have not ended, however many have.
 * `due` is when a job may be claimed, and so doubles as the end of its lease: with a column for each, and an OR, a claim took five
 * times as long (2026-11-22). What is to be captured stands beside the jobs: a change to a row writes all of it, and it goes when
 * the job ends, with the secrets in it.
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
  CREATE INDEX IF NOT EXISTS jobs_due ON jobs (due) WHERE finished_at IS NULL;
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
  CREATE INDEX IF NOT EXISTS webhooks_due ON webhooks (due);

  CREATE TABLE IF NOT EXISTS idempotency (
    key TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    ids TEXT NOT NULL,
    ends_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS idempotency_ends ON idempotency (ends_at);

  CREATE TABLE IF NOT EXISTS totals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  INSERT OR IGNORE INTO totals VALUES ('result_bytes', 0);
`;

/** Of the file itself: one of a later version is not touched. */
export const SCHEMA_VERSION = 1;

export const STATEMENTS = {
  addJob: `INSERT INTO jobs (id, state, due, created_at, store_path, webhook_url, origin)
    VALUES (?, 'queued', ?, ?, ?, ?, ?)`,
  addCapture: 'INSERT INTO captures VALUES (?, ?)',
  getKey: 'SELECT fingerprint, ids FROM idempotency WHERE key = ? AND ends_at > ?',
  putKey: 'INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?)',
  dropKeys: 'DELETE FROM idempotency WHERE key IN (SELECT key FROM idempotency WHERE ends_at <= ? LIMIT 100)',
  get: 'SELECT * FROM jobs WHERE id = ?',
  list: 'SELECT * FROM jobs WHERE state = ? AND seq < ? ORDER BY seq DESC LIMIT ?',
  claim: `UPDATE jobs SET state = 'running', due = ?, token = ?, attempts = attempts + 1, started_at = ?
    WHERE seq = (SELECT seq FROM jobs WHERE finished_at IS NULL AND due <= ? ORDER BY due LIMIT 1)
    RETURNING seq, id, attempts, store_path`,
  leaseAnew: 'UPDATE jobs SET due = ? WHERE finished_at IS NULL AND due > ?',
  sendNow: 'UPDATE webhooks SET due = ? WHERE due > ?',
  getCapture: 'SELECT fields FROM captures WHERE seq = ?',
  heartbeat: 'UPDATE jobs SET due = ? WHERE id = ? AND token = ?',
  requeue: `UPDATE jobs SET state = 'queued', token = NULL, due = ?, error = ? WHERE id = ? AND token = ?`,
  giveBack: `UPDATE jobs SET state = 'queued', token = NULL, due = created_at, attempts = attempts - 1
    WHERE id = ? AND token = ?`,
  end: `UPDATE jobs SET state = ?, token = NULL, finished_at = ?, result = ?, result_bytes = ?, error = ?
    WHERE id = ? AND token = ? RETURNING seq, webhook_url`,
  cancel: `UPDATE jobs SET state = 'cancelled', token = NULL, finished_at = ?, error = NULL
    WHERE id = ? AND finished_at IS NULL RETURNING seq, webhook_url`,
  dropCapture: 'DELETE FROM captures WHERE seq = ?',
  addWebhook: 'INSERT INTO webhooks (seq, due) VALUES (?, ?)',
  addBytes: `UPDATE totals SET value = value + ? WHERE name = 'result_bytes'`,
  getBytes: `SELECT value FROM totals WHERE name = 'result_bytes'`,
  old: `SELECT * FROM jobs WHERE finished_at IS NOT NULL AND finished_at < ?
    ORDER BY finished_at LIMIT ?`,
  large: 'SELECT * FROM jobs WHERE result_bytes > 0 ORDER BY finished_at LIMIT ?',
  remove: 'DELETE FROM jobs WHERE id = ? AND finished_at IS NOT NULL RETURNING seq, result_bytes',
  getResultBytes: 'SELECT seq, result_bytes FROM jobs WHERE id = ? AND result_bytes > 0',
  loseResult: 'UPDATE jobs SET result_bytes = 0, result = NULL, lost_result = 1 WHERE id = ?',
  claimWebhook: `UPDATE webhooks SET due = ?, token = ?, attempts = attempts + 1
    WHERE seq = (SELECT seq FROM webhooks WHERE due <= ? ORDER BY due LIMIT 1)
    RETURNING seq, attempts`,
  getWebhookJob: 'SELECT id, webhook_url FROM jobs WHERE seq = ?',
  dropWebhook: 'DELETE FROM webhooks WHERE seq = ?',
  endWebhook: 'DELETE FROM webhooks WHERE seq = (SELECT seq FROM jobs WHERE id = ?) AND token = ?',
  retryWebhook: `UPDATE webhooks SET due = ?, token = NULL
    WHERE seq = (SELECT seq FROM jobs WHERE id = ?) AND token = ?`,
  countState: 'SELECT count(*) AS n FROM jobs WHERE state = ?',
  countWebhooks: 'SELECT count(*) AS n FROM webhooks',
} as const;
