/** Ends a process at one of its writes: from then on, no write to the data file succeeds until the switch is off. */

import { DatabaseSync } from 'node:sqlite';

const TABLES = ['subscriptions', 'snapshots', 'audit', 'deliveries', 'documents', 'events'] as const;

/** More writes than any verb makes. */
const MANY = 1_000_000;

export interface KillSwitch {
  /** Lets this many writes pass, and no further one. */
  arm(writes: number): void;
  off(): void;
  /** How many writes the work makes. */
  count(work: () => Promise<void>): Promise<number>;
  close(): void;
}

/** @param file the data file, with its tables */
export function installKillSwitch(file: string): KillSwitch {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('CREATE TABLE kill_switch (writes_left INTEGER); INSERT INTO kill_switch VALUES (NULL);');
  for (const table of TABLES) {
    for (const write of ['INSERT', 'UPDATE', 'DELETE']) {
      // The failing statement is undone with its decrement, so every later one fails, too.
      database.exec(`CREATE TRIGGER kill_${table}_${write} BEFORE ${write} ON ${table} BEGIN
        UPDATE kill_switch SET writes_left = writes_left - 1;
        SELECT RAISE(ABORT, 'killed') FROM kill_switch WHERE writes_left < 0;
      END`);
    }
  }
  const set = (writes: number | null) => {
    database.prepare('UPDATE kill_switch SET writes_left = ?').run(writes);
  };
  return {
    arm: set,
    off: () => set(null),
    async count(work) {
      set(MANY);
      await work();
      const row = database.prepare('SELECT writes_left AS left FROM kill_switch').get();
      set(null);
      return MANY - Number(row?.left);
    },
    close: () => database.close(),
  };
}
