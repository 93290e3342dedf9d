/**
 * The person resource, and `me`, which is a person reading their own record.
 * The spec leaves the name of the e-mail field open; here it is `email`, as field and as filter.
 */
import type { Data } from '../account/data.ts';
import { formatSeconds } from '../account/days.ts';
import type { PersonRow } from '../account/records.ts';
import { ADMINISTRATORS, amount, code, flag, html, NOT_EXECUTIVES, number, padded, STAFF, text } from './fields.ts';
import { anyOf, anyThat, contains, flagIs, oneThat } from './filters.ts';
import type { Field, Resource } from './resource.ts';

const zoneNames = new Map<string, string>();

/** "Central European Time": a label for people, not an offset. */
function zoneName(timeZone: string): string {
  let name = zoneNames.get(timeZone);
  if (name === undefined) {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longGeneric' });
    name = format.formatToParts(0).find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
    zoneNames.set(timeZone, name);
  }
  return name;
}

const clientOf = (p: PersonRow, data: Data) => (p.clientid === null ? undefined : data.client.get(p.clientid));

const email: Field<PersonRow> = {
  ...text<PersonRow>('email', (p) => p.email, { blank: '' }),
  // Only staff and the person themselves see the contact data of a private person.
  omit: (p, viewer) => p.private && !STAFF.includes(viewer.role) && viewer.personid !== p.id,
};

export const person: Resource<PersonRow> = {
  name: 'person',
  rows: (data) => data.person,
  access: {
    list: NOT_EXECUTIVES,
    member: NOT_EXECUTIVES,
    create: ADMINISTRATORS,
    update: ADMINISTRATORS,
    remove: ADMINISTRATORS,
  },
  fields: [
    number('id', (p) => p.id),
    padded('localid', (p) => p.localid),
    number('clientid', (p) => p.clientid, { blank: '' }),
    text('title', (p) => p.title, { seenBy: STAFF, blank: '' }),
    text('firstname', (p) => p.firstname),
    text('lastname', (p) => p.lastname, { blank: '' }),
    flag('primaryaccount', (p) => p.primaryaccount),
    html('notes', (p) => p.notes, { seenBy: STAFF }),
    flag('allprojects', (p) => p.allprojects, { seenBy: STAFF }),
    flag('active', (p) => p.active),
    flag('private', (p) => p.private, { seenBy: STAFF }),
    flag('tips', (p) => p.tips),
    text('username', (p) => p.username, { seenBy: STAFF, blank: '' }),
    number('groupid', (p) => p.groupid),
    {
      ...text<PersonRow>('group', (p, data) => (p.groupid === null ? null : data.group.get(p.groupid)?.name)),
      omit: (_, viewer) => viewer.seesNoGroupNames === true,
    },
    text('client', (p, data) => clientOf(p, data)?.name, { blank: '' }),
    number('numlogins', (p) => p.numlogins, { seenBy: STAFF }),
    code('lastlogin', (p) => (p.lastlogin === null ? null : `${formatSeconds(p.lastlogin)}.${300_000 + p.id}`), {
      seenBy: STAFF,
    }),
    code('timezone', (p) => p.timezone, { seenBy: STAFF }),
    text('timezone_offset', (p) => zoneName(p.timezone), { seenBy: STAFF }),
    flag('restricttasks', (p) => p.restricttasks, { seenBy: STAFF }),
    padded('clientlocalid', (p, data) => clientOf(p, data)?.localid, { blank: '' }),
    number('calendarorientation', (p) => p.calendarorientation),
    number('editordisabled', (p) => p.editordisabled),
    email,
    amount('hourlyrate', (p) => p.hourlyrate, { seenBy: ADMINISTRATORS }),
    flag('cancomment', (p) => p.cancomment, { seenBy: STAFF }),
  ],
  settable: [
    { name: 'clientid', type: 'integer', refers: 'client' },
    { name: 'title', type: 'string', max: 255 },
    { name: 'firstname', type: 'string', required: true, max: 65 },
    { name: 'lastname', type: 'string', max: 85 },
    { name: 'allprojects', type: 'boolean', default: 'f' },
    { name: 'notes', type: 'html' },
    { name: 'private', type: 'boolean', required: true, default: 't' },
    { name: 'active', type: 'boolean', required: true, default: 't' },
    { name: 'username', type: 'string', max: 255 },
    { name: 'password', type: 'string', max: 30 },
    { name: 'email', type: 'string', max: 255 },
    { name: 'groupid', type: 'integer', refers: 'group' },
  ],
  filters: [
    anyOf('localid', (p) => p.localid),
    contains('username', (p) => p.username),
    contains('email', (p) => p.email),
    contains('firstname', (p) => p.firstname),
    contains('lastname', (p) => p.lastname),
    {
      ...anyOf<PersonRow>('excludegroupids', (p) => p.groupid),
      compile(value, asked) {
        const inGroups = anyOf<PersonRow>('excludegroupids', (p) => p.groupid).compile(value, asked);
        return (row) => !inGroups(row);
      },
    },
    anyThat('projectid', (p, id, data) => data.project.get(id) !== undefined && data.canAccess(p.id, id)),
    anyOf('clientid', (p) => p.clientid),
    anyThat('projectclientid', (p, id, data) => {
      for (const project of data.project) if (project.clientid === id && data.canAccess(p.id, project.id)) return true;
      return false;
    }),
    contains('search', (p, data) => [
      p.firstname,
      p.lastname,
      clientOf(p, data)?.name ?? '',
      p.username,
      p.notes,
      p.email,
      ...data.contactsOfPerson.of(p.id).map((contact) => contact.contact),
    ]),
    flagIs('active', (p) => p.active),
    oneThat('groupid', (p, id) => p.groupid === id),
    flagIs('allprojects', (p) => p.allprojects),
    flagIs('restricttasks', (p) => p.restricttasks),
  ],
  sorts: {},
};

/** The record that `/me/` returns: all fields except those for Administrators only. */
export const meFields = person.fields.filter((field) => field.name !== 'hourlyrate');
