/** All resources that can be polled, by name. Everything that reads, compares or documents records uses this catalogue. */

import { client } from './client.ts';
import { document } from './document.ts';
import { expense } from './expense.ts';
import { group } from './group.ts';
import { invoice } from './invoice.ts';
import { person } from './person.ts';
import { project } from './project.ts';
import { projectmodule } from './projectmodule.ts';
import { type Resource, titleFrom } from './resource.ts';
import { task } from './task.ts';

/** The resources with a field table. */
export const tabled = { task, invoice, project, person, client, expense, document, group, projectmodule } as const;

export type TabledName = keyof typeof tabled;

/** The other resources of the API, whose fields it does not document: all their fields are watched. */
const UNTABLED = [
  'contacttype',
  'invoiceterm',
  'milestone',
  'module',
  'payment',
  'paymenttype',
  'projectlabel',
  'projectnote',
  'projectworktype',
  'request',
  'tasklistfilter',
  'tasknote',
  'taskpriority',
  'taskstatus',
  'time',
  'worktype',
] as const;

/** Resources of the API that cannot be polled, with the reason, for the docs and config errors. */
export const unpollable: Readonly<Record<string, string>> = {
  me: 'is the owner of the token, who is also in `person`',
  quota: 'has no records or ids; every poll cycle reads it anyway',
  timer: 'runs continuously, so every poll would find a change',
  contactdescriptor: 'lists records only for a given contact type',
  invoiceitem: 'lists records only for a given invoice',
  invoicenote: 'lists records only for a given invoice',
  milestonenote: 'lists records only for a given milestone',
  personcontact: 'lists records only for a given person',
  projectteam: 'lists records only for a given project',
};

const all: ReadonlyMap<string, Resource> = new Map(
  [...Object.values<Resource>(tabled), ...UNTABLED.map(untabled)].map((resource) => [resource.name, resource]),
);

/** In the order of the docs. */
export const resources: readonly Resource[] = [...all.values()];

/** Undefined for an unknown resource and for one that cannot be polled. */
export function resourceOf<Name extends TabledName>(name: Name): (typeof tabled)[Name];
export function resourceOf(name: string): Resource | undefined;
export function resourceOf(name: string): Resource | undefined {
  return all.get(name);
}

function untabled(name: string): Resource {
  return {
    name,
    fields: {
      id: { type: 'id', role: 'watched' },
      // It only indicates that something changed, not what.
      datemodified: { type: 'datetime', role: 'volatile' },
    },
    unknown: 'watch',
    title: titleFrom(name, 'title', 'name', name),
  };
}
