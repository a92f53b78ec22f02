/**
 * The tables for users, their credentials, shares, the audit log and the nodes' reports. Secrets
 * are stored as SHA-256 digests: they are long and random, so a slower hash is not needed.
 */
export const accessTables = `
CREATE TABLE users (
  id ID PRIMARY KEY,
  name ID NOT NULL,
  -- The name in lower case: people would confuse two names that differ only in case.
  folded ID NOT NULL UNIQUE,
  role ID NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
  created_at BIG NOT NULL,
  disabled_at BIG,
  CHECK (id <> 'admin' OR (role = 'admin' AND disabled_at IS NULL))
);

CREATE TABLE tokens (
  id ID PRIMARY KEY,
  user_id ID NOT NULL REFERENCES users (id),
  name ID NOT NULL,
  digest ID NOT NULL UNIQUE,
  scopes ID NOT NULL,
  channel ID NOT NULL,
  created_at BIG NOT NULL,
  expires_at BIG,
  last_used_at BIG,
  revoked_at BIG
);
CREATE INDEX tokens_user ON tokens (user_id, id);

-- Single-use sign-in links.
CREATE TABLE sign_in_codes (
  digest ID PRIMARY KEY,
  user_id ID NOT NULL REFERENCES users (id),
  expires_at BIG NOT NULL
);
CREATE INDEX sign_in_codes_expires ON sign_in_codes (expires_at);

-- Signed-in browsers.
CREATE TABLE sign_ins (
  id ID PRIMARY KEY,
  user_id ID NOT NULL REFERENCES users (id),
  -- Revoking the token it was made with ends it.
  token_id ID REFERENCES tokens (id),
  digest ID NOT NULL UNIQUE,
  previous_digest ID UNIQUE,
  previous_until BIG,
  created_at BIG NOT NULL,
  rotated_at BIG NOT NULL,
  -- idle_until moves with each use; expires_at does not.
  idle_until BIG NOT NULL,
  expires_at BIG NOT NULL
);
CREATE INDEX sign_ins_user ON sign_ins (user_id);
CREATE INDEX sign_ins_expires ON sign_ins (expires_at);

CREATE TABLE shares (
  session_id ID NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  user_id ID NOT NULL REFERENCES users (id),
  level ID NOT NULL CHECK (level IN ('view', 'operate')),
  PRIMARY KEY (session_id, user_id)
);
CREATE INDEX shares_user ON shares (user_id, session_id);

CREATE TABLE audit (
  seq SERIAL_KEY,
  at BIG NOT NULL,
  user_id ID NOT NULL,
  channel ID NOT NULL,
  credential ID NOT NULL,
  address ID NOT NULL,
  request_id ID,
  action ID NOT NULL,
  target_kind ID NOT NULL,
  target_id ID NOT NULL,
  -- JSON; null if there is nothing to record.
  before ID,
  after ID
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_user ON audit (user_id, seq);
CREATE INDEX audit_target ON audit (target_id, seq);

-- Workspaces of deleted sessions; a node on their host removes them.
CREATE TABLE left_workspaces (
  session_id ID PRIMARY KEY,
  host ID NOT NULL
);
CREATE INDEX left_workspaces_host ON left_workspaces (host, session_id);

-- A node's latest report, as JSON: its load, and its use of the limits that all nodes share. Not in the
-- node's row of nodes, which its claims lock.
CREATE TABLE node_reports (
  node_id ID PRIMARY KEY REFERENCES nodes (id) ON DELETE CASCADE,
  load ID,
  used ID
);
`;

const admin = (now: string): string =>
  `INSERT INTO users (id, name, folded, role, created_at, disabled_at) VALUES ('admin', 'admin', 'admin', 'admin', ${now}, NULL);\n`;

/** The triggers refuse all changes to the audit log, even manual ones. */
export const accessSqlite = `
${admin("CAST(unixepoch('subsec') * 1000 AS INTEGER)")}
${['UPDATE', 'DELETE']
  .map(
    (change) => `CREATE TRIGGER audit_no_${change.toLowerCase()} BEFORE ${change} ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;`,
  )
  .join('\n')}
CREATE TRIGGER audit_no_replace BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE seq = new.seq) BEGIN
  SELECT RAISE(ABORT, 'the audit log is append-only');
END;
`;

export const accessPostgres = `
${admin('(extract(epoch FROM clock_timestamp()) * 1000)::bigint')}
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is append-only';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
`;
