/** ConsolePassStore on DynamoDB: one small item per link or session, which expires. */

import type { ConsolePass } from '../../core/model/console-pass.ts';
import type { ConsolePassStore } from '../../core/ports/console-pass-store.ts';
import { CONSOLE_PARTITION, consolePassKey, type StoredItem } from './keys.ts';
import type { Table } from './table.ts';
import { toSeconds } from './timeline.ts';

export function dynamoConsolePassStore(table: Table): ConsolePassStore {
  const find = async (hash: string) => {
    // Consistent: a session that ended is refused at once.
    const item = await table.get(consolePassKey(hash), true);
    return item === undefined ? undefined : passFromItem(item);
  };
  return {
    async save(pass) {
      await table.put({ ...consolePassKey(pass.hash), pass, expiresAt: toSeconds(pass.expiresAt) });
    },

    get: find,

    async take(hash) {
      const pass = await find(hash);
      if (pass === undefined) return undefined;
      // `unsure` counts as taken by another: a link that may have been used must not open a second session.
      return (await table.remove(consolePassKey(hash), { sk: hash })) === 'written' ? pass : undefined;
    },

    async removeAll() {
      let count = 0;
      // Until nothing is found: a link that was used meanwhile has left a session, which may sort before it.
      for (let found = -1; found !== 0; count += found) {
        found = 0;
        for await (const item of table.query({ partition: ['pk', CONSOLE_PARTITION], consistent: true })) {
          await table.remove(consolePassKey(passFromItem(item).hash));
          found += 1;
        }
      }
      return count;
    },

    /** DynamoDB deletes old items by their time to live. */
    async prune() {},
  };
}

/** Unchecked: only `save` writes these items. */
function passFromItem({ pass }: StoredItem): ConsolePass {
  return pass as ConsolePass;
}
