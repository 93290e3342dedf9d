/** Makes the reference of all fields, as Markdown, from the tables: what the docs say is what is compared. */

import { resources, type TabledName, tabled, unpollable } from '../core/resources/catalogue.ts';
import type { FieldRole, FieldSpec, FieldType } from '../core/resources/field.ts';
import type { Resource } from '../core/resources/resource.ts';

const ROLES: Readonly<Record<FieldRole, string>> = {
  watched: 'a change is news: it is in `changes` of the events, and makes an `updated` event where no other fits',
  label: 'kept fresh in the record, never news: mostly names that belong to another record, which tells of them itself',
  volatile: 'moves by itself: never compared, and stored only when something else changed',
};

const TYPES: Readonly<Record<FieldType, string>> = {
  id: 'text, as the API numbers its records',
  ids: 'list of ids, each once, in order; empty when there are none',
  names: 'list of texts, in order; empty when there are none',
  text: 'text without HTML entities, lines ending in `\\n`',
  html: 'text that may hold HTML, entities as they came',
  email: 'text without `mailto:`',
  date: '`YYYY-MM-DD`, a day in the calendar of the account',
  datetime: '`YYYY-MM-DDTHH:MM:SSZ`, in UTC',
  number: 'number',
  decimal: 'number, rounded to six places',
  boolean: 'true or false',
};

export function fieldsReference(): string {
  return [
    '# Fields',
    '',
    'Made from the tables by `npm run generate`: edit `core/resources/`, not this page.',
    '',
    'A record has the fields of the API under their own names. A field the API leaves empty is null (a list: empty). A field',
    'that is absent is unknown, because the role of the token may not see it: the last known value stays, and coming into',
    'view is not a change. A value that does not fit its type is kept as it came.',
    '',
    'What a change of a field means is its role:',
    '',
    ...table(['role', 'meaning'], Object.entries(ROLES)),
    '',
    'How its value reads is its type:',
    '',
    ...table(['type', 'value'], Object.entries(TYPES)),
    '',
    ...Object.values<Resource>(tabled).flatMap(section),
    ...others(),
  ].join('\n');
}

function section({ name, fields, unknown }: Resource): string[] {
  const rows = Object.entries(fields).map(([field, spec]) => [`\`${field}\``, type(spec), spec.role, hidden(spec)]);
  const rest =
    unknown === 'watch'
      ? 'The API does not show the fields of this resource: these are known or guessed, and any other is watched.'
      : 'Any other field is kept as it comes and not compared.';
  return [`## ${name}`, '', rest, '', ...table(['field', 'type', 'role', 'hidden for'], rows), ''];
}

function others(): string[] {
  const names = resources.filter(({ name }) => !isTabled(name)).map(({ name }) => `\`${name}\``);
  return [
    '## Other resources',
    '',
    'The API shows no fields of these. All of them are watched as they come, except `datemodified`, which is volatile:',
    '',
    `${names.join(', ')}.`,
    '',
    'These cannot be polled:',
    '',
    ...Object.entries(unpollable).map(([name, reason]) => `- \`${name}\` ${reason}.`),
    '',
  ];
}

function isTabled(name: string): name is TabledName {
  return Object.hasOwn(tabled, name);
}

function type({ type, nullable }: FieldSpec): string {
  // An empty list is a list: only single values become null.
  return nullable === true && type !== 'ids' && type !== 'names' ? `${type} or null` : type;
}

function hidden({ hiddenFor = [] }: FieldSpec): string {
  return hiddenFor.join(', ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replaceAll('  |', ' |');
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
