/**
 * All resources by name. `me` and `quota` have no records of their own: the server answers them.
 */
import * as choices from './choices.ts';
import { client } from './client.ts';
import { document } from './document.ts';
import { expense } from './expense.ts';
import { invoice, invoiceitem, payment } from './invoice.ts';
import { personcontact, projectteam, projectworktype } from './links.ts';
import * as notes from './notes.ts';
import { person } from './person.ts';
import { project, projectmodule } from './project.ts';
import type { Resource } from './resource.ts';
import { task } from './task.ts';
import * as work from './work.ts';

const all: readonly Resource[] = [
  client,
  document,
  expense,
  invoice,
  invoiceitem,
  payment,
  person,
  personcontact,
  project,
  projectmodule,
  projectteam,
  projectworktype,
  task,
  ...Object.values(choices),
  ...Object.values(notes),
  ...Object.values(work),
];

export type TableName = Resource['name'];

const byName = new Map<string, Resource>(all.map((resource) => [resource.name, resource]));

export function findResource(name: string): Resource | undefined {
  return byName.get(name);
}

export function resourceNamed(name: TableName): Resource {
  const resource = byName.get(name);
  if (resource === undefined) throw new RangeError(`there is no resource '${name}'`);
  return resource;
}
