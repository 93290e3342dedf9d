/** Names of other records that the API joins into a record when it is read: they change without an entry in its journal. */

import type { RawRecord } from './observation.ts';

type Records = (resource: string) => ReadonlyMap<string, RawRecord>;

/** The record with the names that other records have now. The same object as long as nothing changed. */
export class Labels {
  readonly #records: Records;
  readonly #shown = new WeakMap<RawRecord, { readonly version: number; readonly record: RawRecord }>();
  /** Grows with every change of a record that gives others a name. */
  version = 0;

  constructor(records: Records) {
    this.#records = records;
  }

  label(resource: string, record: RawRecord): RawRecord {
    const last = this.#shown.get(record);
    if (last?.version === this.version) return last.record;
    const before = last?.record ?? record;
    const labels = this.#labelsOf(resource, record);
    const isSame = Object.entries(labels).every(([name, value]) => (before[name] ?? '') === (value ?? ''));
    const shown = isSame ? before : { ...record, ...labels };
    this.#shown.set(record, { version: this.version, record: shown });
    return shown;
  }

  /** Only fields that the record has. */
  #labelsOf(resource: string, record: RawRecord): RawRecord {
    const labels = { ...this.#ofProject(resource, record), ...this.#ofPeople(resource, record) };
    return Object.fromEntries(
      Object.entries(labels).flatMap(([name, value]) => (name in record && value !== undefined ? [[name, value]] : [])),
    );
  }

  #ofProject(resource: string, record: RawRecord): Record<string, string | null | undefined> {
    const project = resource === 'project' ? record : this.#find('project', record.projectid);
    const client = this.#find('client', resource === 'person' ? record.clientid : project?.clientid);
    if (resource === 'person' || resource === 'project')
      return { client: client?.name, clientlocalid: client?.localid };
    if (project === undefined) return {};
    return {
      project: project.name,
      clientid: project.clientid,
      client: client?.name,
      clientlocalid: client?.localid,
      projectlabel: project.label,
      projectlabel_order: project.label_order,
      projectlabelid: project.labelid,
    };
  }

  #ofPeople(resource: string, record: RawRecord): Record<string, string | undefined> {
    if (resource === 'project') return { manager: this.names(record.managerid).at(0) };
    if (resource !== 'task') return {};
    return {
      assignees: this.names(record.assigneeid).join(', '),
      owners: this.names(record.ownerid).join(', '),
      followers: this.names(record.followerid).join(', '),
      status: this.#find('taskstatus', record.statusid)?.name ?? undefined,
    };
  }

  /** The names of the people in a comma list of ids. */
  names(ids: string | null | undefined): string[] {
    return (ids ?? '').split(',').flatMap((id) => {
      const person = this.#find('person', id);
      return person === undefined ? [] : [[person.firstname, person.lastname].filter(Boolean).join(' ')];
    });
  }

  #find(resource: string, id: string | null | undefined): RawRecord | undefined {
    return this.#records(resource).get(id ?? '');
  }
}
