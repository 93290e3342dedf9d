/**
 * Notes on tasks, milestones, projects and invoices. The spec names them without fields.
 * A list of task notes without a task contains the last seven days, as in similar services.
 */
import type { Data } from '../account/data.ts';
import type { NoteRow } from '../account/records.ts';
import type { Table } from '../account/table.ts';
import { ALL_ROLES, flag, html, instant, number, text } from './fields.ts';
import { afterInstant, anyOf, beforeInstant } from './filters.ts';
import type { Resource, Role } from './resource.ts';

const WEEK_SECONDS = 7 * 86_400;
const INVOICE_READERS: readonly Role[] = ['Administrator', 'Manager', 'Executive'];

function notes(
  name: 'tasknote' | 'milestonenote' | 'projectnote' | 'invoicenote',
  about: 'taskid' | 'milestoneid' | 'projectid' | 'invoiceid',
  readers: readonly Role[],
): Resource<NoteRow> {
  return {
    name,
    rows: (data: Data): Table<NoteRow> => data[name],
    access: { list: readers, member: readers, create: [], update: [], remove: [] },
    fields: [
      number('id', (note) => note.id),
      number(about, (note) => note.on),
      number('personid', (note) => note.personid),
      text('person', (note, data) => data.name(note.personid)),
      html('note', (note) => note.note),
      flag('public', (note) => note.public),
      instant('datemodified', (note) => note.modified),
    ],
    settable: [],
    filters: [
      anyOf(about, (note) => note.on),
      anyOf('personid', (note) => note.personid),
      afterInstant('datemodifiedbegin', (note) => note.modified),
      beforeInstant('datemodifiedend', (note) => note.modified),
    ],
    sorts: { id: (note) => note.id, datemodified: (note) => note.modified },
    sees: (note, viewer) => viewer.role !== 'Executive' || note.public,
  };
}

export const tasknote: Resource<NoteRow> = {
  ...notes('tasknote', 'taskid', ALL_ROLES),
  implied(given, { data }) {
    if (given.get('taskid')) return undefined;
    const since = data.seconds() - WEEK_SECONDS;
    return (note) => note.modified >= since;
  },
};
export const milestonenote = notes('milestonenote', 'milestoneid', ALL_ROLES);
export const projectnote = notes('projectnote', 'projectid', ALL_ROLES);
export const invoicenote = notes('invoicenote', 'invoiceid', INVOICE_READERS);
