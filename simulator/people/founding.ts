/**
 * Founds an account: a believable agency of any size, the same for the same seed and day.
 * Fills empty tables in order; what happens afterwards is life (life.ts).
 */
import type { Data } from '../account/data.ts';
import { foundBilling } from './founding-billing.ts';
import { foundPeople } from './founding-people.ts';
import { foundProjects } from './founding-projects.ts';
import { foundTasks } from './founding-tasks.ts';
import { Random } from './random.ts';
import * as words from './vocabulary.ts';

export interface Size {
  tasks: number;
  projects: number;
  clients: number;
  people: number;
  invoices: number;
  timeEntries: number;
  expenses: number;
  documents: number;
}

/** Sizes that go with a number of tasks, as accounts of that size have them. */
export function sizeFor(tasks: number, given: Partial<Size> = {}): Size {
  const between = (low: number, value: number, high: number) => Math.round(Math.min(high, Math.max(low, value)));
  const projects = given.projects ?? between(3, tasks / 20, 5000);
  return {
    tasks,
    projects,
    clients: given.clients ?? between(2, projects / 4, 800),
    people: given.people ?? between(10, Math.sqrt(tasks) / 2 + 8, 500),
    invoices: given.invoices ?? between(12, tasks / 5, 20_000),
    timeEntries: given.timeEntries ?? between(20, tasks * 2, 60_000),
    expenses: given.expenses ?? between(8, tasks / 10, 5_000),
    documents: given.documents ?? between(12, tasks / 10, 5_000),
  };
}

/** Days of history: a small account is young, a large one is three years old. */
function historyOf(tasks: number): number {
  return Math.round(Math.min(1095, Math.max(60, tasks / 10)));
}

export function foundAccount(data: Data, size: Size, seed: number): void {
  foundChoices(data);
  const history = historyOf(size.tasks);
  // One stream of chances per part: more invoices do not change who the people are.
  foundPeople(data, size, new Random(seed, 1));
  foundProjects(data, size, history, new Random(seed, 2));
  foundTasks(data, size, history, new Random(seed, 3));
  foundBilling(data, size, history, new Random(seed, 4));
}

function foundChoices(data: Data): void {
  const row = (name: string, order: number, value = 0, color = '') => ({ name, order, active: true, color, value });
  for (const [i, name] of ['Administrator', 'Manager', 'Resource', 'Executive'].entries())
    data.group.add(row(name, i + 1));
  for (const [i, [name, closed]] of words.STATUSES.entries()) data.taskstatus.add(row(name, i + 1, closed));
  for (const [i, [name, color]] of words.PRIORITIES.entries()) data.taskpriority.add(row(name, i + 1, 0, color));
  for (const [i, [name, days]] of words.TERMS.entries()) data.invoiceterm.add(row(name, i + 1, days));
  for (const [i, [name, color]] of words.LABELS.entries())
    data.projectlabel.add(row(name, words.LABELS.length - i, 0, color));
  for (const [i, name] of words.MODULES.entries()) data.module.add(row(name, i + 1));
  for (const [i, [name, rate]] of words.WORK_TYPES.entries()) data.worktype.add(row(name, i + 1, rate));
  for (const [i, name] of words.PAYMENT_TYPES.entries()) data.paymenttype.add(row(name, i + 1));
  for (const [i, name] of words.CONTACT_TYPES.entries()) {
    const { id } = data.contacttype.add(row(name, i + 1));
    for (const [order, descriptor] of words.CONTACT_DESCRIPTORS.entries()) {
      data.contactdescriptor.add(row(descriptor, order + 1, id));
    }
  }
}
