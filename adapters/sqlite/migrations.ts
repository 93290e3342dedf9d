/**
 * The schema, step by step. A step that has been released is never edited: a change is a new step at the end.
 * The number of steps is the schema's version, kept in SQLite's own `user_version`.
 */

export const migrations: readonly string[] = [
  `
  -- id_length before id: ids are whole numbers kept as text, and this orders them as numbers.
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
  -- What pages looked like when last read: a shortcut, never the truth. Rows of another version are none.
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
  -- An error is kept with its code now; what a state lacks otherwise is filled in when it is read.
  UPDATE scans SET body = json_remove(body, '$.lastError');
  `,
  `
  -- Whose transition it is, so that the history of one record is found without reading all of them.
  ALTER TABLE feed ADD COLUMN source TEXT;
  ALTER TABLE feed ADD COLUMN resource TEXT;
  ALTER TABLE feed ADD COLUMN id TEXT;
  UPDATE feed SET
    source = json_extract(after, '$.key.source'),
    resource = json_extract(after, '$.key.resource'),
    id = json_extract(after, '$.key.id');
  CREATE INDEX feed_history ON feed (source, resource, id, position);

  -- Which deliveries carry an event. Kept by triggers: whoever adds or prunes deliveries need not know of it.
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
  -- The queue is read group by group: the backlog of one must not be waded through to reach another.
  DROP INDEX queue_visible;
  CREATE INDEX queue_groups ON queue (grouping, visible_at);
  CREATE INDEX deliveries_by_subscription ON deliveries (subscription, status, position);

  -- What a channel keeps about its messages on a record, so that the next one is put under them.
  CREATE TABLE threads (
    subscription TEXT NOT NULL,
    subject TEXT NOT NULL,
    thread TEXT NOT NULL,
    PRIMARY KEY (subscription, subject)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Most deliveries are over: an index that holds only the others is not touched again once one is, which saves two
  -- writes each. What is over is found by reading backwards, for most of them are.
  DROP INDEX deliveries_by_status;
  DROP INDEX deliveries_by_subscription;
  CREATE INDEX deliveries_open ON deliveries (subscription, status, position)
    WHERE status NOT IN ('settled', 'gathered');
  `,
  `
  -- Taking a job and giving it back moves it in no index now. Those of a group that somebody has in hand are read over:
  -- they are few.
  DROP INDEX queue_groups;
  CREATE INDEX queue_groups ON queue (grouping);

  -- Room for the first attempt, held until it is made: a row that grows pushes its neighbours to other pages.
  ALTER TABLE deliveries ADD COLUMN room BLOB;
  `,
];
