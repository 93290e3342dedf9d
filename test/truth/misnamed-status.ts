/** A person gives a status the name of the closed one by mistake, and corrects it within two hours. */

import type { Account } from '../../simulator/simulator.ts';
import { seededRandom } from './seeded-random.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Statuses whose names no config of these runs contains. */
const STATUSES = ['3', '4', '6'];

/** Returns a function that renames a status about every second day, and gives it its name back. */
export function misnamedStatus(account: Account, seed: number): (now: number) => void {
  const chance = seededRandom(seed + 6);
  const names = new Map(account.list('taskstatus').map(({ id, name }) => [id ?? '', name ?? '']));
  let misnamed: string | undefined;
  let next = account.clock.now() + 31 * HOUR;
  return (now) => {
    if (now < next) return;
    if (misnamed === undefined) {
      misnamed = chance.pick(STATUSES) ?? '';
      account.update('taskstatus', misnamed, { name: 'Closed' });
      next = now + (5 + 100 * chance.unit()) * MINUTE;
      return;
    }
    account.update('taskstatus', misnamed, { name: names.get(misnamed)?.replaceAll('&amp;', '&') ?? '' });
    misnamed = undefined;
    next = now + (30 + 30 * chance.unit()) * HOUR;
  };
}
