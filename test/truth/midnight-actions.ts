/**
 * Actions of people in the last minute before a midnight, on the records that the midnight makes overdue: nothing that is
 * closed, deleted, paid or moved in time may be reported.
 */

import { RequestError } from '../../simulator/request-error.ts';
import type { Account } from '../../simulator/simulator.ts';
import { dayAfter, dayInZone } from './calendar.ts';
import type { RawRecord } from './observation.ts';
import { modifiedAt } from './rare-actions.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

type MidnightAction = (account: Account, due: RawRecord, chance: SeededRandom, tomorrow: string) => void;

const ON_TASKS: readonly MidnightAction[] = [
  (account, { id }) => account.update('task', id ?? '', { statusid: 7 }),
  (account, { id }) => account.remove('task', id ?? ''),
  // The number of tasks stays the same.
  (account, task) => {
    account.remove('task', task.id ?? '');
    const { projectid, moduleid, priorityid, ownerid, dateopen } = task;
    account.create('task', { projectid, moduleid, priorityid, ownerid, dateopen, statusid: 1, title: 'Instead' });
  },
  (account, { id }, _, tomorrow) => account.update('task', id ?? '', { datedue: tomorrow }),
  (account, { id }, chance) => {
    const people = account.list('person').filter(({ groupid, active }) => active === 't' && groupid === '3');
    account.update('task', id ?? '', { assigneeid: chance.pick(people)?.id ?? '' });
  },
];

/**
 * An edit whose date goes back: the row is older than its snapshot, and if nothing was modified after that, no response proves
 * that it is not one of a lagging replica. It is due all the same.
 */
function restore(account: Account, task: RawRecord, chance: SeededRandom): void {
  account.update('task', task.id ?? '', { title: `${task.title} (restored)` });
  account.backdate(task.id ?? '', modifiedAt(task) - Math.floor((1 + 70 * chance.unit()) * HOUR));
}

const HOUR = 3_600_000;

/** Returns a function that acts 5 to 60 seconds before a midnight. */
export function midnightActions(
  account: Account,
  seed: number,
  zoneAt: (at: number) => string,
): (midnight: number) => void {
  const chance = seededRandom(seed + 2);
  return (midnight) => {
    const at = Math.floor(midnight - (5 + 55 * chance.unit()) * 1000);
    if (at < account.clock.now()) return;
    account.clock.set(at);
    account.settle();
    const today = dayInZone(zoneAt(at))(new Date(at).toISOString());
    const isDue = ({ datedue }: RawRecord) => datedue === today;
    const tasks = account.list('task', { excludeclosed: 't' }).filter(isDue);
    const invoice = chance.pick(account.list('invoice', { status: 'outstanding' }).filter(isDue));
    const project = account.list('project', { active: 't' }).find(({ dateend }) => dateend === today);
    try {
      const [last] = tasks.toSorted((a, b) => modifiedAt(b) - modifiedAt(a));
      // An edit of another task that is due would prove that the row is true.
      if (last !== undefined && chance.unit() < 0.3) restore(account, last, chance);
      else if (last !== undefined)
        chance.pick(ON_TASKS)?.(account, chance.pick(tasks) ?? last, chance, dayAfter(today));
      if (invoice !== undefined && chance.unit() < 0.5) account.pay(invoice.id ?? '');
      if (project !== undefined && chance.unit() < 0.5)
        account.update('project', project.id ?? '', { dateend: dayAfter(today) });
    } catch (error) {
      // The rules refuse some actions.
      if (!(error instanceof RequestError)) throw error;
    }
  };
}
