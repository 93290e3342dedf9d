/**
 * Finds references to a person or a project, and refuses to delete a record that has any.
 * Does not delete; the rules do.
 */
import { invalid } from '../../request-error.ts';
import type { Data } from '../data.ts';

export function countPersonReferences(id: number, data: Data): Record<string, number> {
  let tasks = 0;
  for (let slot = 0; slot < data.task.slots; slot++) {
    if (!data.task.has(slot)) continue;
    const task = data.task.at(slot);
    if (task.owners.includes(id) || task.assignees.includes(id) || task.followers.includes(id)) tasks++;
  }
  return {
    task: tasks,
    project: count(data.project, (project) => project.managers.includes(id)),
    time: count(data.time, (entry) => entry.personid === id),
    expense: count(data.expense, (expense) => expense.personid === id),
    document: count(data.document, (document) => document.personid === id),
    milestone: count(data.milestone, (milestone) => milestone.ownerid === id),
  };
}

export function countProjectReferences(id: number, data: Data): Record<string, number> {
  let tasks = 0;
  for (let slot = 0; slot < data.task.slots; slot++) {
    if (data.task.has(slot) && data.task.at(slot).projectid === id) tasks++;
  }
  return {
    task: tasks,
    invoice: count(data.invoice, (invoice) => invoice.projectid === id),
    time: data.timeOfProject.of(id).length,
    expense: count(data.expense, (expense) => expense.projectid === id),
    milestone: count(data.milestone, (milestone) => milestone.projectid === id),
    document: count(data.document, (document) => document.projectid === id),
    request: count(data.request, (request) => request.projectid === id),
  };
}

/** A referenced record cannot be deleted; it can be made inactive instead. */
export function rejectIfReferenced(resource: string, id: number, uses: Record<string, number>): void {
  const used = Object.entries(uses).filter(([, times]) => times > 0);
  if (used.length === 0) return;
  const list = used.map(([name, times]) => `${times} ${name}`).join(', ');
  throw invalid('id', `${resource} ${id} is still used by ${list}; set active to 'f' instead of deleting it`);
}

export function count<R>(rows: Iterable<R>, test: (row: R) => boolean): number {
  let count = 0;
  for (const row of rows) if (test(row)) count++;
  return count;
}
