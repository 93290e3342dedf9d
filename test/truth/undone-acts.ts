/** What is done in the evening and undone at night, while messages about it wait, and whether a message still says that it was done. */

import type { Account } from '../../simulator/simulator.ts';
import { hasOtherName } from './judge-message.ts';
import type { ReadMessage } from './read-message.ts';

/** What was done in the evening, and how it is undone. */
export type Undo = () => void;

/** Closes and reopens tasks, pays invoices in full and in part, hands tasks to others. Returns what undoes each of them. */
export function actInTheEvening(account: Account, unit: () => number): readonly Undo[] {
  const undo: Undo[] = [];
  const setTask = (id: string, values: Record<string, string>) => {
    const before = account.read('task', id) ?? {};
    account.update('task', id, values);
    const former = Object.fromEntries(Object.keys(values).map((field) => [field, before[field] ?? '']));
    undo.push(() => account.read('task', id) && account.update('task', id, former));
  };
  const open = account.list('task', { excludeclosed: 't' });
  const closed = account.list('task').filter((task) => !open.some(({ id }) => id === task.id));
  const [closedStatus, openStatus] = [closed[0]?.statusid ?? '', open[0]?.statusid ?? ''];
  const pick = <T>(list: readonly T[], most: number) => list.filter(() => unit() < most / Math.max(1, list.length));
  for (const { id } of pick(open, 3)) setTask(id ?? '', { statusid: closedStatus });
  for (const { id } of pick(closed, 2)) setTask(id ?? '', { statusid: openStatus });
  const staff = account.list('person').filter(({ groupid, active }) => active === 't' && groupid === '3');
  for (const { id } of pick(open, 3))
    setTask(id ?? '', { assigneeid: staff[Math.floor(unit() * staff.length)]?.id ?? '' });
  for (const { id, balance } of pick(account.list('invoice', { status: 'outstanding' }), 3)) {
    const amount = (Number(balance) * (unit() < 0.5 ? 1 : 0.4)).toFixed(2);
    if (Number(amount) <= 0) continue;
    account.pay(id ?? '', amount);
    undo.push(() => account.read('invoice', id ?? '') && account.pay(id ?? '', `-${amount}`));
  }
  return undo;
}

/** What a message says was done. */
const ACTS = {
  closed: /was closed/,
  reopened: /was reopened/,
  paid: /paid in full/,
  received: /^Payment of .* received|: payment of .* received/,
  assigned: /was assigned to (.+?)(?: \(|$)/m,
} as const;

/** Whether the message says that something was done. */
export function saysDone({ lines, title }: ReadMessage): boolean {
  return [title, ...lines.map(({ said }) => said)].some((said) =>
    Object.values(ACTS).some((pattern) => pattern.test(said)),
  );
}

/** What the message says was done, although it was undone. */
export function findUndone(account: Account, { lines, title, records }: ReadMessage): string[] {
  const isOpen = (id: string) => account.list('task', { excludeclosed: 't' }).some((task) => task.id === id);
  const [only = ''] = records.length === 1 ? records : [];
  const said = lines.length > 0 ? lines : only === '' ? [] : [{ record: only, said: title }];
  return said.flatMap(({ record, said: words }) => {
    const [resource, id = ''] = record.split('/');
    const row = account.read(resource === 'task' ? 'task' : 'invoice', id);
    // A deleted record is judged elsewhere.
    if (row === undefined) return [];
    const problem = (what: string) => [`${record} ${what}: ${words}`];
    if (resource === 'task') {
      if (ACTS.closed.test(words) && isOpen(id)) return problem('is open');
      if (ACTS.reopened.test(words) && !isOpen(id)) return problem('is closed');
      const [, names] = ACTS.assigned.exec(words) ?? [];
      const assignees = String(row.assigneeid ?? '').split(',');
      const people = account.list('person').filter((person) => assignees.includes(person.id ?? ''));
      const spelled = people.map(({ firstname, lastname }) => [firstname, lastname].filter(Boolean).join(' '));
      return names !== undefined && hasOtherName(names, spelled) ? problem(`is of ${spelled.join('; ')}`) : [];
    }
    if (ACTS.paid.test(words) && Number(row.balance) > 0) return problem(`is not paid, ${row.balance} is due`);
    return ACTS.received.test(words) && Number(row.payments) <= 0 ? problem('has no payment') : [];
  });
}
