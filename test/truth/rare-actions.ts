/**
 * Actions that the simulator's people never perform but that event types exist for: changed owners, milestones, managers and
 * groups, moved tasks, deactivated clients and people, removals, due dates moved within the past, changes that are undone,
 * projects that get another client, people who change their names, dates of modification that go back, tasks that fall due today.
 */

import { RequestError } from '../../simulator/request-error.ts';
import type { Account } from '../../simulator/simulator.ts';
import type { RawRecord } from './observation.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

const HOUR = 3_600_000;

type RareAction = (account: Account, chance: SeededRandom) => void;

/**
 * Returns a function that performs the actions due by `now`, about one every five hours.
 * @param names @default - all actions
 */
export function rareActions(account: Account, seed: number, names?: readonly RareActionName[]): (now: number) => void {
  const actions = names === undefined ? ACTIONS : names.map((name) => NAMED_ACTIONS[name]);
  const chance = seededRandom(seed + 1);
  let next = account.clock.now() + 5 * HOUR;
  return (now) => {
    for (; next <= now; next += (3 + 4 * chance.unit()) * HOUR) {
      try {
        chance.pick(actions)?.(account, chance);
      } catch (error) {
        // The rules refuse some actions, such as removing a record that is in use.
        if (!(error instanceof RequestError)) throw error;
      }
    }
  };
}

/** Two people may have the same name, and a name may have a comma. */
const NEW_NAMES = [
  { firstname: 'George', lastname: 'Eliot, PhD' },
  { firstname: 'Robin', lastname: 'Vogt' },
  { firstname: 'Robin', lastname: '' },
  { firstname: 'Zoë', lastname: 'Ångström-O’Neill' },
];

const NAMED_ACTIONS = {
  moveProject: (account, chance) => {
    const project = chance.pick(account.list('project', { active: 't' }));
    const client = chance.pick(account.list('client', { active: 't' }));
    if (project !== undefined) account.update('project', idOf(project), { clientid: idOf(client) });
  },
  renamePerson: (account, chance) => {
    const person = chance.pick(staff(account));
    if (person !== undefined) account.update('person', idOf(person), chance.pick(NEW_NAMES) ?? {});
  },
  /** Due at the next midnight, which finds it with an older date if it is restored before. */
  fallDue: (account, chance) => {
    const task = chance.pick(openTasks(account).filter(({ datedue }) => datedue !== account.today()));
    if (task !== undefined) account.update('task', idOf(task), { datedue: account.today() });
  },
  backdate: (account, chance) => {
    const now = account.clock.now();
    const tasks = openTasks(account);
    // A row that is older than its snapshot is doubtful for a day after the record last changed.
    const recent = tasks.filter((task) => modifiedAt(task) > now - 12 * HOUR);
    const day = (hours: number) => new Date(now + hours * HOUR).toISOString().slice(0, 10);
    const due = recent.filter(({ datedue }) => datedue !== null && [day(0), day(24)].includes(String(datedue)));
    const task = chance.pick(due.length > 0 ? due : recent.length > 0 ? recent : tasks);
    if (task === undefined) return;
    // An edit that no delta shows, because its date goes back at once.
    if (chance.unit() < 0.5) account.update('task', idOf(task), { title: `${task.title} (restored)` });
    account.backdate(idOf(task), modifiedAt(task) - Math.floor((1 + 70 * chance.unit()) * HOUR));
  },
} as const satisfies Readonly<Record<string, RareAction>>;

export type RareActionName = keyof typeof NAMED_ACTIONS;

const ACTIONS: readonly RareAction[] = [
  onTask((account, chance) => ({ ownerid: idOf(chance.pick(staff(account))) })),
  onTask((account, chance) => ({ projectid: idOf(chance.pick(account.list('project', { active: 't' }))) })),
  onTask((account, chance, task) => {
    const milestones = account.list('milestone').filter(({ projectid }) => projectid === task.projectid);
    return { milestoneid: idOf(chance.pick(milestones)) };
  }),
  onTask((_, chance) => ({ summary: chance.pick(['', '<p>Second draft</p>', '<p>Third</p>']) ?? '' })),
  // Saved without a change: only `datemodified` changes.
  onTask((_, __, { statusid }) => ({ statusid: statusid ?? '' })),
  (account, chance) => {
    const task = chance.pick(openTasks(account));
    if (task === undefined) return;
    // A change that is undone between two polls.
    account.update('task', idOf(task), { priorityid: task.priorityid === '1' ? '2' : '1' });
    account.update('task', idOf(task), { priorityid: task.priorityid ?? '' });
  },
  (account, chance) => {
    const project = chance.pick(account.list('project', { active: 't' }));
    if (project !== undefined)
      account.update('project', idOf(project), { managerid: idOf(chance.pick(staff(account))) });
  },
  (account, chance) => flip(account, 'client', chance.pick(account.list('client'))),
  // Not the first ten: their tokens are in use.
  (account, chance) => flip(account, 'person', chance.pick(account.list('person').filter(({ id }) => Number(id) > 10))),
  (account, chance) => {
    const person = chance.pick(staff(account).filter(({ id }) => Number(id) > 10));
    if (person !== undefined) account.update('person', idOf(person), { groupid: person.groupid === '3' ? '2' : '3' });
  },
  (account, chance) => {
    const invoice = chance.pick(account.list('invoice', { status: 'outstanding' }));
    const due = new Date(account.clock.now() - chance.unit() * 45 * 24 * HOUR).toISOString().slice(0, 10);
    if (invoice === undefined) return;
    account.update('invoice', idOf(invoice), { termid: '6', termother: 'As promised', termotherdatedue: due });
  },
  // Voided: nothing is left to pay.
  (account, chance) => {
    const invoice = chance.pick(account.list('invoice', { status: 'outstanding' }));
    const items = account.list('invoiceitem').filter(({ invoiceid }) => invoiceid === invoice?.id);
    for (const item of items) account.remove('invoiceitem', idOf(item));
  },
  // A credit note, and its refund.
  (account, chance) => {
    const invoice = chance.pick(
      account.list('invoice', { status: 'outstanding' }).filter(({ payments }) => Number(payments) === 0),
    );
    if (invoice === undefined) return;
    account.create('invoiceitem', {
      invoiceid: idOf(invoice),
      description: 'Credit',
      quantity: 1,
      rate: -2 * Number(invoice.total) - 10,
    });
  },
  (account, chance) => {
    const credit = chance.pick(account.list('invoice').filter(({ balance }) => Number(balance) < 0));
    if (credit !== undefined) account.pay(idOf(credit), credit.balance ?? undefined);
  },
  ...Object.values(NAMED_ACTIONS),
  (account) => account.remove('client', idOf(account.list('client').at(-1))),
  (account) => account.remove('person', idOf(account.list('person').at(-1))),
  (account) => account.remove('project', idOf(account.list('project').at(-1))),
];

function onTask(
  change: (account: Account, chance: SeededRandom, task: RawRecord) => Record<string, string>,
): RareAction {
  return (account, chance) => {
    const task = chance.pick(openTasks(account));
    if (task !== undefined) account.update('task', idOf(task), change(account, chance, task));
  };
}

export function modifiedAt({ datemodified }: RawRecord): number {
  return Date.parse(`${String(datemodified).replace(' ', 'T')}Z`);
}

function openTasks(account: Account): readonly RawRecord[] {
  return account.list('task', { excludeclosed: 't', limit: '200' });
}

/** People who can log in and work. */
function staff(account: Account): readonly RawRecord[] {
  return account.list('person').filter(({ groupid, active }) => active === 't' && (groupid === '2' || groupid === '3'));
}

function flip(account: Account, resource: 'client' | 'person', record: RawRecord | undefined): void {
  if (record !== undefined) account.update(resource, idOf(record), { active: record.active === 't' ? 'f' : 't' });
}

function idOf(record: RawRecord | undefined): string {
  return record?.id ?? '';
}
