import { describe, expect, it } from 'vitest';
import { resourceOf } from '../../../core/resources/catalogue.ts';
import type { FieldSpec, UserRole } from '../../../core/resources/field.ts';

/**
 * The response tables of the API's documentation, row by row: field, nullable, and the notes on visibility and format.
 * The documentation calls one field "e-mail field"; it is listed under our name for it.
 */
const described = {
  person: `
    id | no
    localid | no
    clientid | yes
    title | yes | Administrator/Manager only
    firstname | no
    lastname | no
    primaryaccount | no | 't'/'f'
    notes | yes | HTML; Administrator/Manager only
    allprojects | no | 't'/'f'; Administrator/Manager only
    active | no | 't'/'f'
    private | no | 't'/'f'; Administrator/Manager only
    tips | no | 't'/'f'
    username | yes | Administrator/Manager only
    groupid | yes
    group | yes
    client | yes
    numlogins | no | Administrator/Manager only
    lastlogin | yes | Timestamp; Administrator/Manager only
    timezone | yes | Administrator/Manager only
    timezone_offset | yes | Administrator/Manager only
    restricttasks | no | 't'/'f'; Administrator/Manager only
    clientlocalid | yes
    calendarorientation | no
    editordisabled | no
    email | yes
    hourlyrate | yes | Administrator only
    cancomment | no | 't'/'f'; Administrator/Manager only`,
  project: `
    id | no
    name | no
    description | yes | HTML; Administrator/Manager only
    datestart | no | YYYY-MM-DD
    dateend | yes | YYYY-MM-DD
    alert_percent | no | Administrator/Manager only
    alert_date | yes | Administrator/Manager only
    active | no | 't'/'f'
    billable | no | 't'/'f'
    budget | yes | Administrator/Manager only
    clientid | yes
    client | yes
    clientlocalid | yes
    labelid | yes
    label | yes
    labelcolor | yes
    label_order | yes
    localidunpadded | no
    localid | no
    manager | yes
    managerid | yes`,
  task: `
    id | no
    localid | no
    queueid | yes
    assigneeid | yes | Comma-separated person IDs; hidden from Executive users
    statusid | no
    projectid | no
    moduleid | no
    title | no
    summary | yes | HTML
    dateopen | no | YYYY-MM-DD
    datedue | yes | YYYY-MM-DD
    dateclosed | yes | YYYY-MM-DD
    estimate | no | numeric string
    ownerid | no | comma-separated IDs; hidden from Executive users
    priorityid | no
    datemodified | no | UTC, YYYY-MM-DD HH:MM:SS
    color | no
    priority | no | Numeric
    severity | no
    status | no
    status_order | no
    project | no
    clientid | yes
    clientlocalid | yes
    client | yes
    milestoneid | yes
    milestone | yes
    module | no
    projectlocalid | no
    assignees | yes | Comma-separated names; hidden from Executive users
    followers | yes | Comma-separated names; hidden from Executive users
    followerid | yes | Comma-separated IDs; hidden from Executive users
    owners | no | Comma-separated names; hidden from Executive users
    billable | no | numeric string
    unbillable | no | numeric string
    actual | no | numeric string
    datecreated | no | YYYY-MM-DD
    projectlabel | yes
    projectlabel_order | yes
    projectlabelid | yes`,
  invoice: `
    id | no
    projectid | no
    date | no | YYYY-MM-DD
    termid | no
    termother | yes
    termotherdatedue | yes
    title | no
    description | yes
    localid | no
    addressfrom | yes
    addressto | yes
    purchaseorder | yes
    tax | yes
    disclaimer | yes
    datebegin | yes | Administrator/Manager only
    dateend | yes | Administrator/Manager only
    second_tax | yes
    second_tax_compound | yes
    project | no
    client | yes
    clientid | yes
    term | no
    datepaid | yes
    subtotal | no
    taxamount | yes
    secondtaxamount | yes
    numitems | no
    total | no
    payments | no
    balance | no
    datedue | yes | YYYY-MM-DD
    daysoverdue | no
    daysoverduepaid | yes
    status | no
    projectlabel | yes
    projectlabel_order | yes
    projectlabelid | yes`,
} as const;

interface Row {
  readonly field: string;
  readonly nullable: boolean;
  readonly note: string;
}

function rowsOf(text: string): readonly Row[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [field = '', nullable = '', note = ''] = line.split('|').map((cell) => cell.trim());
      return { field, nullable: nullable === 'yes', note };
    });
}

function hiddenFor(note: string): readonly UserRole[] {
  if (note.includes('Administrator/Manager only')) return ['Resource', 'Executive'];
  if (note.includes('Administrator only')) return ['Manager', 'Resource', 'Executive'];
  return note.includes('hidden from Executive') ? ['Executive'] : [];
}

/** The field types that a note allows; undefined if it does not mention the type. */
function typesOf(note: string): readonly string[] | undefined {
  if (note.includes("'t'/'f'")) return ['boolean'];
  if (/HH:MM:SS|Timestamp/.test(note)) return ['datetime'];
  if (note.includes('YYYY-MM-DD')) return ['date'];
  if (/comma-separated.* IDs/i.test(note)) return ['ids'];
  if (/comma-separated names/i.test(note)) return ['names'];
  if (/numeric/i.test(note)) return ['number', 'decimal'];
  return note.includes('HTML') ? ['html'] : undefined;
}

describe.each(['task', 'invoice', 'project', 'person'] as const)('the table of %s', (name) => {
  const table: Readonly<Record<string, FieldSpec>> = resourceOf(name).fields;
  const rows = rowsOf(described[name]);

  it('has exactly the documented fields, in the same order', () => {
    expect(Object.keys(table)).toEqual(rows.map(({ field }) => field));
  });

  it('declares which fields may be empty and who cannot see them', () => {
    const ours = Object.entries(table).map(([field, spec]) => [field, spec.nullable ?? false, spec.hiddenFor ?? []]);
    expect(ours).toEqual(rows.map(({ field, nullable, note }) => [field, nullable, hiddenFor(note)]));
  });

  it('has the documented type of each field', () => {
    const wrong = rows.filter(({ field, note }) => typesOf(note)?.includes(table[field]?.type ?? '') === false);
    expect(wrong).toEqual([]);
  });
});
