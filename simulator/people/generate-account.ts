/**
 * Generates an account: a realistic agency of any size, the same for the same seed and day.
 * Fills empty tables in order; life.ts simulates what happens afterwards.
 */
import type { Data } from '../account/data.ts';
import { generateBilling } from './generate-billing.ts';
import { generatePeople } from './generate-people.ts';
import { generateProjects } from './generate-projects.ts';
import { generateTasks } from './generate-tasks.ts';
import { Random } from './random.ts';
import type { Size } from './size.ts';
import * as vocabulary from './vocabulary.ts';

/** Days of history: a small account is young, a large one is three years old. */
function historyDays(tasks: number): number {
  return Math.round(Math.min(1095, Math.max(60, tasks / 10)));
}

export function generateAccount(data: Data, size: Size, seed: number): void {
  generateChoices(data);
  const history = historyDays(size.tasks);
  // One random generator per part: more invoices do not change the people.
  generatePeople(data, size, new Random(seed, 1));
  generateProjects(data, size, history, new Random(seed, 2));
  generateTasks(data, size, history, new Random(seed, 3));
  generateBilling(data, size, history, new Random(seed, 4));
}

function generateChoices(data: Data): void {
  const row = (name: string, order: number, value = 0, color = '') => ({ name, order, active: true, color, value });
  for (const [i, name] of ['Administrator', 'Manager', 'Resource', 'Executive'].entries())
    data.group.add(row(name, i + 1));
  for (const [i, [name, closed]] of vocabulary.STATUSES.entries()) data.taskstatus.add(row(name, i + 1, closed));
  for (const [i, [name, color]] of vocabulary.PRIORITIES.entries()) data.taskpriority.add(row(name, i + 1, 0, color));
  for (const [i, [name, days]] of vocabulary.TERMS.entries()) data.invoiceterm.add(row(name, i + 1, days));
  for (const [i, [name, color]] of vocabulary.LABELS.entries())
    data.projectlabel.add(row(name, vocabulary.LABELS.length - i, 0, color));
  for (const [i, name] of vocabulary.MODULES.entries()) data.module.add(row(name, i + 1));
  for (const [i, [name, rate]] of vocabulary.WORK_TYPES.entries()) data.worktype.add(row(name, i + 1, rate));
  for (const [i, name] of vocabulary.PAYMENT_TYPES.entries()) data.paymenttype.add(row(name, i + 1));
  for (const [i, name] of vocabulary.CONTACT_TYPES.entries()) {
    const { id } = data.contacttype.add(row(name, i + 1));
    for (const [order, descriptor] of vocabulary.CONTACT_DESCRIPTORS.entries()) {
      data.contactdescriptor.add(row(descriptor, order + 1, id));
    }
  }
}
