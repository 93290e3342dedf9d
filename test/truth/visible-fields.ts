/** The fields of a record that a response shows, by the role of the token and the day. */

import type { Role } from '../../simulator/simulator.ts';
import type { RawRecord } from './observation.ts';

const HIDDEN_FROM_EXECUTIVES = 'assigneeid assignees followers followerid ownerid owners'.split(' ');
const VISIBLE_TO_MANAGERS: Readonly<Record<string, readonly string[]>> = {
  invoice: ['datebegin', 'dateend'],
  project: ['description', 'alert_percent', 'alert_date', 'budget'],
  client: ['phone'],
  person:
    'title notes allprojects private username numlogins lastlogin timezone timezone_offset restricttasks cancomment'.split(
      ' ',
    ),
};

export interface Reader {
  readonly role: Role;
  /** Users always see their own address. */
  readonly person: string;
  readonly today: string;
}

export function visibleFields(resource: string, stored: RawRecord, { role, person, today }: Reader): RawRecord {
  const record = withStatus(resource, stored, today);
  const hidden = new Set<string>();
  const isStaff = role === 'Administrator' || role === 'Manager';
  if (resource === 'task' && role === 'Executive') for (const field of HIDDEN_FROM_EXECUTIVES) hidden.add(field);
  if (!isStaff) for (const field of VISIBLE_TO_MANAGERS[resource] ?? []) hidden.add(field);
  if (resource === 'person') {
    if (role !== 'Administrator') hidden.add('hourlyrate');
    if (!isStaff && record.private === 't' && record.id !== person) hidden.add('email');
  }
  return Object.fromEntries(Object.entries(record).filter(([field]) => !hidden.has(field)));
}

/** The status of an invoice changes at midnight without an entry in the journal. */
function withStatus(resource: string, record: RawRecord, today: string): RawRecord {
  const { datepaid, datedue, balance } = record;
  if (resource !== 'invoice' || (datepaid !== null && datepaid !== '')) return record;
  const isLate = Number(balance) > 0 && typeof datedue === 'string' && datedue !== '' && datedue < today;
  return { ...record, status: isLate ? 'overdue' : 'outstanding' };
}
