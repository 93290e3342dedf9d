/**
 * The migrations of the schema. The statements of a released migration never change: append a new one instead.
 * The number of migrations is the schema version, stored in SQLite's `user_version`.
 */

import { recentMigrations } from './recent-migrations.ts';

export const migrations: readonly string[] = [
  `
  -- id_length before id: ids are whole numbers stored as text, and this sorts them as numbers.
  CREATE TABLE snapshots (
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    id_length INTEGER NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    next_moment TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (source, resource, id_length, id)
  ) STRICT;
  CREATE INDEX snapshots_agenda ON snapshots (next_moment) WHERE next_moment IS NOT NULL;

  CREATE TABLE feed (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    before TEXT,
    after TEXT NOT NULL
  ) STRICT;
  CREATE TABLE feed_consumers (
    consumer TEXT PRIMARY KEY,
    position INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    time TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_subject ON events (subject, position);

  CREATE TABLE deliveries (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    subscription TEXT NOT NULL,
    status TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at TEXT,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_agenda ON deliveries (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX deliveries_by_status ON deliveries (status, position);

  CREATE TABLE subscriptions (
    name TEXT PRIMARY KEY,
    declared INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE scans (
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (source, resource)
  ) STRICT;

  CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    fence INTEGER NOT NULL,
    until TEXT NOT NULL
  ) STRICT;

  CREATE TABLE queue (
    delivery TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    grouping TEXT NOT NULL,
    visible_at TEXT NOT NULL,
    receives INTEGER NOT NULL,
    PRIMARY KEY (delivery, attempt)
  ) STRICT;
  CREATE INDEX queue_visible ON queue (visible_at);
  `,
  `
  -- Fingerprints of pages when they were last read. Only a cache: rows of another version are ignored.
  CREATE TABLE manifests (
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    scope TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (source, resource, scope)
  ) STRICT;
  CREATE TABLE manifest_chunks (
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    scope TEXT NOT NULL,
    page INTEGER NOT NULL,
    version INTEGER NOT NULL,
    head TEXT NOT NULL,
    entries BLOB NOT NULL,
    PRIMARY KEY (source, resource, scope, page)
  ) STRICT;
  CREATE TABLE manifest_doubts (
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    scope TEXT NOT NULL,
    id TEXT NOT NULL,
    PRIMARY KEY (source, resource, scope, id)
  ) STRICT, WITHOUT ROWID;
  -- Errors now have a code, so old ones are dropped. Other missing fields get their defaults when a state is read.
  UPDATE scans SET body = json_remove(body, '$.lastError');
  `,
  `
  -- The record of each transition, so that its history can be queried.
  ALTER TABLE feed ADD COLUMN source TEXT;
  ALTER TABLE feed ADD COLUMN resource TEXT;
  ALTER TABLE feed ADD COLUMN id TEXT;
  UPDATE feed SET
    source = json_extract(after, '$.key.source'),
    resource = json_extract(after, '$.key.resource'),
    id = json_extract(after, '$.key.id');
  CREATE INDEX feed_history ON feed (source, resource, id, position);

  -- Which deliveries contain an event. Maintained by triggers when deliveries are inserted or deleted.
  CREATE TABLE delivery_events (
    event TEXT NOT NULL,
    delivery TEXT NOT NULL,
    PRIMARY KEY (event, delivery)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO delivery_events SELECT DISTINCT value, deliveries.id FROM deliveries, json_each(deliveries.body, '$.events');
  CREATE TRIGGER delivery_events_add AFTER INSERT ON deliveries BEGIN
    INSERT OR IGNORE INTO delivery_events SELECT value, NEW.id FROM json_each(NEW.body, '$.events');
  END;
  CREATE TRIGGER delivery_events_drop AFTER DELETE ON deliveries BEGIN
    DELETE FROM delivery_events
    WHERE delivery = OLD.id AND event IN (SELECT value FROM json_each(OLD.body, '$.events'));
  END;
  `,
  `
  -- The queue is read by group, so that the backlog of one group does not slow down the others.
  DROP INDEX queue_visible;
  CREATE INDEX queue_groups ON queue (grouping, visible_at);
  CREATE INDEX deliveries_by_subscription ON deliveries (subscription, status, position);

  -- The thread of each record in a channel, to which later messages are added.
  CREATE TABLE threads (
    subscription TEXT NOT NULL,
    subject TEXT NOT NULL,
    thread TEXT NOT NULL,
    PRIMARY KEY (subscription, subject)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Most deliveries are finished. A partial index of the others saves two writes per delivery. Finished ones are found by
  -- reading the table backwards.
  DROP INDEX deliveries_by_status;
  DROP INDEX deliveries_by_subscription;
  CREATE INDEX deliveries_open ON deliveries (subscription, status, position)
    WHERE status NOT IN ('settled', 'gathered');
  `,
  `
  -- Receiving a job no longer updates an index. The few jobs of a group that are in flight are skipped when reading.
  DROP INDEX queue_groups;
  CREATE INDEX queue_groups ON queue (grouping);

  -- Space reserved for the first attempt: a row that grows would move other rows to other pages.
  ALTER TABLE deliveries ADD COLUMN room BLOB;
  `,
  `
  -- Events are listed by type and by time; deliveries of a subscription page by page, whatever their status. The entry of a
  -- delivery is written once: neither column changes with its attempts.
  ALTER TABLE events ADD COLUMN type TEXT NOT NULL DEFAULT '';
  UPDATE events SET type = coalesce(json_extract(body, '$.type'), '');
  CREATE INDEX events_type ON events (type, position, time);
  CREATE INDEX events_time ON events (time, position);
  CREATE INDEX deliveries_by_subscription ON deliveries (subscription, position);

  -- The management API: its keys (hashes only), the audit trail, idempotent requests, and the token bucket of each caller.
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE audit (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_at ON audit (at);
  CREATE TABLE idempotent_requests (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    started_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    response TEXT
  ) STRICT;
  CREATE INDEX idempotent_requests_expiry ON idempotent_requests (expires_at);
  CREATE TABLE request_buckets (
    caller TEXT PRIMARY KEY,
    full_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The records that a standing digest lists: overdue, due soon, ending soon or past their end.
  ALTER TABLE snapshots ADD COLUMN standing INTEGER;
  UPDATE snapshots SET standing = 1 WHERE json_extract(body, '$.deletedAt') IS NULL
    AND (json_extract(body, '$.stage.overdue') = 1 OR json_extract(body, '$.stage.dueSoon') = 1
      OR json_extract(body, '$.stage.pastEnd') = 1 OR json_extract(body, '$.stage.endingSoon') = 1);
  CREATE INDEX snapshots_standing ON snapshots (source, resource, id_length, id) WHERE standing IS NOT NULL;
  `,
  `
  -- The console: log-in links and sessions (hashes only).
  CREATE TABLE console_passes (
    hash TEXT PRIMARY KEY,
    expires_at TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX console_passes_expiry ON console_passes (expires_at);
  `,
  `
  -- Small documents of the Slack app: work to do, drafts, requests to admins, linked API tokens (encrypted).
  CREATE TABLE documents (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL,
    expires_at TEXT,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX documents_expiry ON documents (expires_at) WHERE expires_at IS NOT NULL;
  `,
  `
  -- The first and last position of the events of each hour: a list since or until an instant starts there.
  CREATE TABLE event_hours (
    hour TEXT PRIMARY KEY,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO event_hours SELECT substr(time, 1, 13) AS hour, min(position), max(position) FROM events GROUP BY hour;
  CREATE TRIGGER event_hours_add AFTER INSERT ON events BEGIN
    INSERT OR IGNORE INTO event_hours VALUES (substr(NEW.time, 1, 13), NEW.position, NEW.position);
    UPDATE event_hours SET last = max(last, NEW.position) WHERE hour = substr(NEW.time, 1, 13);
  END;
  `,
  `
  -- Two trees instead of three, both in the order of the deliveries: the jobs of a group are neighbours. Jobs of other work
  -- come in the order they were sent.
  CREATE TABLE jobs (
    grouping TEXT NOT NULL,
    position INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    delivery TEXT NOT NULL,
    visible_at TEXT NOT NULL,
    receives INTEGER NOT NULL,
    PRIMARY KEY (grouping, position, attempt)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO jobs SELECT grouping, coalesce(deliveries.position, queue.rowid), attempt, delivery, visible_at, receives
    FROM queue LEFT JOIN deliveries ON deliveries.id = queue.delivery;
  DROP TABLE queue;
  -- A delivery whose subscription was renamed has its job in the group of the old name: it gets no second one.
  CREATE INDEX jobs_position ON jobs (position);
  `,
  `
  -- The insert of a delivery adds its events: reading them from its JSON took longer than all other parts of the insert.
  DROP TRIGGER delivery_events_add;
  -- Files that were migrated to version 12 before it had this index.
  CREATE INDEX IF NOT EXISTS jobs_position ON jobs (position);
  `,
  `
  -- What the subscriptions of each API key take up.
  CREATE TABLE key_usage (
    key TEXT PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Sources that are kept here, beside those of the config, and how often they were changed.
  CREATE TABLE sources (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE source_changes (revision INTEGER NOT NULL) STRICT;
  INSERT INTO source_changes VALUES (0);
  `,
  ...recentMigrations,
];
