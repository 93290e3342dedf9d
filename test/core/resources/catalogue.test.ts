import { describe, expect, it } from 'vitest';
import { resourceOf, resources, type tabled, unpollable } from '../../../core/resources/catalogue.ts';
import type { FieldRole } from '../../../core/resources/field.ts';

/** In the order of the API's documentation. */
const INVENTORY = (
  'client, contactdescriptor, contacttype, document, expense, group, invoice, invoiceitem, invoicenote, invoiceterm, me, ' +
  'milestone, milestonenote, module, payment, paymenttype, person, personcontact, project, projectlabel, projectmodule, ' +
  'projectnote, projectteam, projectworktype, quota, request, task, tasklistfilter, tasknote, taskpriority, taskstatus, ' +
  'time, timer, worktype'
).split(', ');

const namesWhere = (fact: (resource: (typeof resources)[number]) => boolean) =>
  resources
    .filter(fact)
    .map(({ name }) => name)
    .sort();

const fieldsOf = (role: FieldRole, name: keyof typeof tabled) =>
  Object.entries(resourceOf(name).fields)
    .filter(([, spec]) => spec.role === role)
    .map(([field]) => field);

describe('the catalogue', () => {
  it('has every resource of the API, or the reason why it cannot be polled', () => {
    const names = [...resources.map(({ name }) => name), ...Object.keys(unpollable)];
    expect(names.sort()).toEqual([...INVENTORY].sort());
  });

  it.each([['me'], ['quota'], ['timer'], ['contactdescriptor'], ['tasks'], ['Task'], [''], ['constructor']])(
    'has no resource %j to poll',
    (name) => {
      expect(resourceOf(name)).toBeUndefined();
    },
  );

  it('watches unknown fields only where the API does not document the fields', () => {
    expect(namesWhere(({ unknown }) => unknown === 'carry')).toEqual(['invoice', 'person', 'project', 'task']);
  });

  it('watches the id of every resource', () => {
    expect(resources.filter(({ fields }) => fields.id?.type !== 'id' || fields.id.role !== 'watched')).toEqual([]);
  });

  it('does not store a record when only volatile fields change', () => {
    expect(fieldsOf('volatile', 'task')).toEqual([]);
    expect(fieldsOf('volatile', 'invoice')).toEqual(['daysoverdue', 'daysoverduepaid']);
    expect(fieldsOf('volatile', 'project')).toEqual([]);
    expect(fieldsOf('volatile', 'person')).toEqual([
      'tips',
      'numlogins',
      'lastlogin',
      'timezone_offset',
      'calendarorientation',
      'editordisabled',
    ]);
  });

  it('watches amounts and dates of payment, not the status', () => {
    const { status, balance, payments, datepaid } = resourceOf('invoice').fields;
    expect(status.role).toBe('label');
    expect([balance.role, payments.role, datepaid.role]).toEqual(['watched', 'watched', 'watched']);
  });

  it('watches ids and treats their names as labels, except for fields of the project', () => {
    const through = ['clientid', 'projectlabelid', 'moduleid', 'managerid'];
    const odd = resources.flatMap(({ name, fields }) =>
      Object.entries(fields)
        .filter(
          ([field, { type, role }]) =>
            (type === 'id' || type === 'ids') && role !== 'watched' && !through.includes(field),
        )
        .map(([field]) => `${name}.${field}`),
    );
    expect(odd).toEqual([]);
  });
});

describe('titles', () => {
  it.each([
    ['task', { id: '1', title: 'Draft' }, 'Draft'],
    ['task', { id: '1', localid: '0042', title: null }, 'task 0042'],
    ['task', { id: '1' }, 'task 1'],
    ['task', {}, 'task'],
    ['invoice', { id: '8', title: ' ', localid: '00042' }, 'invoice 00042'],
    ['project', { name: 'Relaunch' }, 'Relaunch'],
    ['person', { id: '2', firstname: 'Ann', lastname: 'Lee' }, 'Ann Lee'],
    ['person', { id: '2', firstname: 'Ann', lastname: null }, 'Ann'],
    ['person', { id: '2' }, 'person 2'],
    ['document', { title: '', filename: 'plan.pdf' }, 'plan.pdf'],
    ['projectmodule', { module: 'Design' }, 'Design'],
    ['group', { name: 'Managers' }, 'Managers'],
    ['milestone', { title: 'Beta' }, 'Beta'],
    ['worktype', { worktype: 'Writing' }, 'Writing'],
    ['payment', { id: '5', name: { odd: true } }, 'payment 5'],
  ])('%s %j is called %j', (name, record, title) => {
    expect(resourceOf(name as string)?.title(record)).toBe(title);
  });
});
