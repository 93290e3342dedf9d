/**
 * The rules of each resource. Resources without an entry are read-only.
 * A lookup only; each set of rules has its own file.
 */
import type { TableName } from '../../resources/catalogue.ts';
import { invoiceItemRules, invoiceRules, paymentRules } from './invoice-rules.ts';
import { clientRules, personRules } from './people-rules.ts';
import { projectModuleRules, projectRules } from './project-rules.ts';
import type { WriteRules } from './rules.ts';
import { taskRules } from './task-rules.ts';
import { choiceRules, documentRules, expenseRules, milestoneRules, teamRules, timeRules } from './work-rules.ts';

const book = new Map<TableName, WriteRules>([
  ['client', clientRules],
  ['document', documentRules],
  ['expense', expenseRules],
  ['invoice', invoiceRules],
  ['invoiceitem', invoiceItemRules],
  ['invoiceterm', choiceRules('invoiceterm')],
  ['group', choiceRules('group')],
  ['milestone', milestoneRules],
  ['module', choiceRules('module')],
  ['payment', paymentRules],
  ['paymenttype', choiceRules('paymenttype')],
  ['person', personRules],
  ['project', projectRules],
  ['projectlabel', choiceRules('projectlabel')],
  ['projectmodule', projectModuleRules],
  ['projectteam', teamRules],
  ['task', taskRules],
  ['taskpriority', choiceRules('taskpriority')],
  ['taskstatus', choiceRules('taskstatus')],
  ['time', timeRules],
  ['worktype', choiceRules('worktype')],
]);

export function rulesOf(name: TableName): WriteRules | undefined {
  return book.get(name);
}
