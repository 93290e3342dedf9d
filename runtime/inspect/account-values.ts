/**
 * The values that an account has for fields that refer to other records: names and ids of projects, clients, people, statuses.
 * Read from the stored records, else with one request for each kind. Stores nothing.
 */

import type { Fields, Value } from '../../core/model/record.ts';
import type { SnapshotStore } from '../../core/ports/snapshot-store.ts';
import type { SourceApi } from '../../core/ports/source-api.ts';
import { resourceOf } from '../../core/resources/catalogue.ts';
import { cleanRow, cleanValue } from '../../core/resources/clean.ts';
import { fullName } from '../../core/resources/full-name.ts';
import { parseRows } from '../../core/source/scan/list-rows.ts';

/** What a field refers to. */
export interface Reference {
  /** The resource that lists all values. */
  readonly resource: string;
  /** `task status` */
  readonly noun: string;
  /** `address`: the name or the mail address of a person. */
  readonly by: 'id' | 'name' | 'address';
}

const byName = (resource: string, noun = resource): Reference => ({ resource, noun, by: 'name' });
const byId = (resource: string, noun = resource): Reference => ({ resource, noun, by: 'id' });

const REFERENCES: Readonly<Record<string, Reference>> = {
  project: byName('project'),
  projectid: byId('project'),
  client: byName('client'),
  clientid: byId('client'),
  assignees: byName('person'),
  owners: byName('person'),
  followers: byName('person'),
  manager: byName('person'),
  person: byName('person'),
  assigneeid: byId('person'),
  ownerid: byId('person'),
  followerid: byId('person'),
  managerid: byId('person'),
  personid: byId('person'),
  module: byName('module'),
  moduleid: byId('module'),
};

/** Fields whose meaning depends on the resource: invoices have statuses of their own. */
const TASK_REFERENCES: Readonly<Record<string, Reference>> = {
  status: byName('taskstatus', 'task status'),
  statusid: byId('taskstatus', 'task status'),
  priorityid: byId('taskpriority', 'task priority'),
};

/** The people that a chat channel mentions, by name or mail address. */
export const MENTIONED: Reference = { resource: 'person', noun: 'person', by: 'address' };

/** Undefined for a field that refers to nothing. */
export function referenceOf(resource: string, field: string): Reference | undefined {
  if (resource === 'task' && Object.hasOwn(TASK_REFERENCES, field)) return TASK_REFERENCES[field];
  return Object.hasOwn(REFERENCES, field) && resource !== field ? REFERENCES[field] : undefined;
}

export interface AccountValuePorts {
  readonly api: Pick<SourceApi, 'list'>;
  readonly snapshots: Pick<SnapshotStore, 'list'>;
}

/** More are not read for a comparison of names. */
const MAX_ROWS = 2000;

/** Reads each kind once. */
export function openAccountValues({ api, snapshots }: AccountValuePorts, source: string) {
  const read = new Map<string, Promise<readonly Fields[] | undefined>>();

  /** All records of a resource; undefined when they cannot be read, or are too many. */
  const recordsOf = (resource: string): Promise<readonly Fields[] | undefined> => {
    const values = read.get(resource) ?? readAll(resource);
    read.set(resource, values);
    return values;
  };

  const readAll = async (name: string): Promise<readonly Fields[] | undefined> => {
    const stored: Fields[] = [];
    for await (const { record, deletedAt } of snapshots.list(source, name)) if (deletedAt === null) stored.push(record);
    if (stored.length > 0) return stored;
    const resource = resourceOf(name);
    if (resource === undefined) return undefined;
    try {
      const { rows, listCount } = (await api.list(name, { offset: 0, limit: MAX_ROWS, filters: {} })).content();
      const records = parseRows(rows.filter(({ id }) => id !== '')).rows.map((row) => cleanRow(resource, row).fields);
      return listCount > records.length ? undefined : records;
    } catch {
      // A role may not list everything.
      return undefined;
    }
  };

  return {
    recordsOf,
    /** All values of a reference; undefined when they cannot be known. */
    async valuesOf({ resource, by }: Reference): Promise<readonly string[] | undefined> {
      const records = await recordsOf(resource);
      const values = records?.flatMap((record) => [
        ...(by === 'id' ? textOf(record.id) : readNames(resource, record)),
        ...(by === 'address' ? textOf(record.email) : []),
      ]);
      return values === undefined || values.length === 0 ? undefined : [...new Set(values)];
    },
  };
}

export type AccountValues = ReturnType<typeof openAccountValues>;

const textOf = (value: Value | undefined) => (typeof value === 'string' && value !== '' ? [value] : []);

/** The name of a record, or none. Fields without a documented type may contain entities. */
export function readNames(resource: string, record: Fields): readonly string[] {
  const name = resource === 'person' ? fullName(record) : (record.name ?? record.title ?? record[resource] ?? null);
  return textOf(resource in record || resource === 'person' ? name : cleanValue(name, 'text'));
}
