/**
 * What happens when people and clients change: log-ins, and what may not be deleted.
 * The resource tables define which role may do it.
 */
import { invalid } from '../../request-error.ts';
import type { Data } from '../data.ts';
import type { Input } from '../input.ts';
import type { ClientRow, PersonRow } from '../records.ts';
import { count, countPersonReferences, rejectIfReferenced } from './references.ts';
import { nextLocalid, plainRules, type WriteRules } from './rules.ts';

const plainPerson = plainRules<PersonRow>('person', ({ data }) => ({
  localid: nextLocalid(data.person),
  clientid: null,
  title: '',
  firstname: '',
  lastname: '',
  primaryaccount: false,
  notes: '',
  allprojects: false,
  active: true,
  private: true,
  tips: true,
  username: '',
  password: '',
  email: '',
  groupid: null,
  numlogins: 0,
  lastlogin: null,
  timezone: data.timeZone,
  restricttasks: false,
  calendarorientation: 1,
  editordisabled: 0,
  hourlyrate: null,
  cancomment: true,
}));

export const personRules: WriteRules<PersonRow> = {
  create(input, act) {
    if (input.text('username') !== '') {
      if (input.text('email') === '') throw invalid('email', 'is required when adding a person who can log in');
      if (input.number('groupid') === null) throw invalid('groupid', 'is required when adding a person who can log in');
      checkUsername(input, undefined, act.data);
    }
    return plainPerson.create(input, act);
  },
  update(person, input, act) {
    checkUsername(input, person, act.data);
    plainPerson.update(person, input, act);
  },
  remove(person, act) {
    const { data, changes } = act;
    if (person.primaryaccount) throw invalid('id', 'the primary account holder cannot be deleted');
    rejectIfReferenced('person', person.id, countPersonReferences(person.id, data));
    for (const contact of data.contactsOfPerson.of(person.id)) changes.deleted('personcontact', contact, act);
    for (const member of [...data.projectteam]) {
      if (member.otherid === person.id) changes.deleted('projectteam', member, act);
    }
    changes.deleted('person', person, act);
  },
};

function checkUsername(input: Input, self: PersonRow | undefined, data: Data): void {
  const username = input.text('username').toLowerCase();
  if (username === '') return;
  for (const other of data.person) {
    if (other !== self && other.username.toLowerCase() === username) {
      throw invalid('username', `'${username}' is taken by another person`);
    }
  }
}

const plainClient = plainRules<ClientRow>('client', ({ data }) => ({
  localid: nextLocalid(data.client),
  name: '',
  description: '',
  website: '',
  email: '',
  phone: '',
  active: true,
  datecreated: data.today(),
}));

export const clientRules: WriteRules<ClientRow> = {
  ...plainClient,
  remove(client, act) {
    const { data } = act;
    rejectIfReferenced('client', client.id, {
      project: count(data.project, (project) => project.clientid === client.id),
      person: count(data.person, (person) => person.clientid === client.id),
    });
    plainClient.remove(client, act);
  },
};
