/** All resources that can be polled, by name. Everything that reads, compares or documents records looks them up here. */

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

/** The resources with a table of their own. */
export const tabled = { task, invoice, project, person, client, expense, document, group, projectmodule } as const;

export type TabledName = keyof typeof tabled;

/** The rest of the API's inventory, of which it shows no field: what changes in them is told as it comes. */
const UNTABLED = [
  'contacttype',
  'invoiceitem',
  'invoicenote',
  'invoiceterm',
  'milestone',
  'milestonenote',
  'module',
  'payment',
  'paymenttype',
  'personcontact',
  'projectlabel',
  'projectnote',
  'projectteam',
  'projectworktype',
  'request',
  'tasklistfilter',
  'tasknote',
  'taskpriority',
  'taskstatus',
  'time',
  'worktype',
] as const;

/** What the inventory has and no scan can use, with the reason as a config's reader should be told it. */
export const unpollable: Readonly<Record<string, string>> = {
  me: 'is the person behind the token, whom `person` has too',
  quota: 'is a reading without records or ids; every cycle reads it anyway',
  timer: 'runs by itself: every look would find a change',
  contactdescriptor: 'lists nothing unless asked for one contact type',
};

const all: ReadonlyMap<string, Resource> = new Map(
  [...Object.values<Resource>(tabled), ...UNTABLED.map(untabled)].map((resource) => [resource.name, resource]),
);

/** In the order in which the docs tell of them. */
export const resources: readonly Resource[] = [...all.values()];

/** Undefined for a name that is not in the API's inventory, and for what is in it but cannot be polled. */
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
      // Wherever it exists it says that something changed, never what.
      datemodified: { type: 'datetime', role: 'volatile' },
    },
    unknown: 'watch',
    sortsById: false,
    modifiedSince: false,
    localIdFilter: false,
    // Notes of tasks are listed for seven days: an older one has left the list, not the account.
    listsAll: name !== 'tasknote',
    title: titleFrom(name, 'title', 'name', name),
  };
}
