/** The latest migrations of the schema, which follow those of migrations.ts. The same rules hold: append a new one. */

export const recentMigrations: readonly string[] = [
  // Replaced by the next one before it was released.
  '',
  `
  -- Which subscription each change was of: only these are read again. After more changes the whole list is.
  DROP TRIGGER IF EXISTS subscriptions_added; DROP TRIGGER IF EXISTS subscriptions_changed;
  DROP TRIGGER IF EXISTS subscriptions_removed; DROP TABLE IF EXISTS subscription_changes;
  CREATE TABLE subscription_changes (revision INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
  CREATE TRIGGER subscription_changes_kept AFTER INSERT ON subscription_changes
    BEGIN DELETE FROM subscription_changes WHERE revision <= NEW.revision - 1000; END;
  CREATE TRIGGER subscriptions_added AFTER INSERT ON subscriptions
    BEGIN INSERT INTO subscription_changes (name) VALUES (NEW.name); END;
  CREATE TRIGGER subscriptions_changed AFTER UPDATE ON subscriptions
    BEGIN INSERT INTO subscription_changes (name) VALUES (NEW.name); END;
  CREATE TRIGGER subscriptions_removed AFTER DELETE ON subscriptions
    BEGIN INSERT INTO subscription_changes (name) VALUES (OLD.name); END;
  `,
  `
  -- Of which subscription a thread is: a later one of the same name begins its own. Those of removed ones are of the config's, which
  -- continues them when it declares the name again.
  ALTER TABLE threads ADD COLUMN incarnation TEXT;
  UPDATE threads SET incarnation = 'declared'
    WHERE NOT EXISTS (SELECT 1 FROM subscriptions WHERE name = threads.subscription AND declared = 0);
  UPDATE threads SET incarnation =
    (SELECT json_extract(body, '$.createdAt') FROM subscriptions WHERE name = threads.subscription)
    WHERE incarnation IS NULL;
  `,
  `
  -- The failed deliveries of all subscriptions: any number of names may have open ones.
  CREATE INDEX deliveries_failed ON deliveries (position) WHERE status = 'failed';
  `,
];
