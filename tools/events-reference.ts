/** Makes the reference of all events, as Markdown, from the catalogue: its examples are events that the code derived. */

import { eventTypesOf, sayEvent } from '../core/events/catalogue.ts';
import { compactJson } from '../core/events/compact-json.ts';
import type { EventType, JsonSchema } from '../core/events/event-type.ts';
import { exampleEvent } from '../core/events/examples.ts';
import { isDescribed, OUR_RESOURCES, schemaFileOf } from '../core/events/schema-name.ts';
import { resources } from '../core/resources/catalogue.ts';
import { envelopeGuide } from './events-reference-guide.ts';

/** Stands for all resources without a table: what is said of its events holds for theirs. */
const SHOWN = 'milestone';

const described = [...resources.map(({ name }) => name), ...OUR_RESOURCES].filter(isDescribed);
const others = resources.map(({ name }) => name).filter((name) => !isDescribed(name));

export function eventsReference(): string {
  return [
    '# Events',
    '',
    'Made from the catalogue by `npm run generate`: edit `core/events/`, not this page. `tidings types` prints the list.',
    '',
    ...envelopeGuide(exampleOf('task.closed')),
    '## All types',
    '',
    'A `*` marks those that time alone brings about: a day came, and nobody did anything.',
    '',
    ...described.flatMap(contents),
    `**[Other resources](#other-resources)**: created, updated, deleted and restored, of ${others.length} resources more.`,
    '',
    ...described.flatMap(section),
    ...otherResources(),
  ].join('\n');
}

function exampleOf(type: string): string {
  const eventType = eventTypesOf(type.slice(0, type.indexOf('.'))).find((each) => each.type === type);
  return eventType === undefined ? '' : exampleJson(eventType);
}

function contents(resource: string): string[] {
  const rows = eventTypesOf(resource).map(
    ({ type, byTime = false, meaning }) => `| [\`${type}\`](#${anchor(type)})${byTime ? ' *' : ''} | ${meaning} |`,
  );
  return [`**[${resource}](#${resource})**`, '', '| type | meaning |', '|---|---|', ...rows, ''];
}

/** As the usual renderers make it of a heading. */
function anchor(heading: string): string {
  return heading.replaceAll('.', '');
}

function section(resource: string): string[] {
  const fields = OUR_RESOURCES.includes(resource) ? [] : [`Its fields: [fields.md](fields.md#${resource}).`, ''];
  return [`## ${resource}`, '', ...fields, ...eventTypesOf(resource).flatMap(entry)];
}

function entry(eventType: EventType): string[] {
  const { type, meaning, when, byTime = false, details } = eventType;
  const event = exampleEvent(eventType);
  return [
    `### ${type}`,
    '',
    // Not in the heading: it would be in its anchor too.
    `${meaning}${byTime ? ' By time (`*`).' : ''}`,
    '',
    when,
    '',
    ...(details === undefined ? [] : [`\`data.details\`: ${detailList(details.properties)}.`, '']),
    ...(event === undefined ? [] : [`> ${sayEvent(event)}`, '']),
    '<details><summary>Example</summary>',
    '',
    '```json',
    exampleJson(eventType),
    '```',
    '',
    '</details>',
    '',
    `[Schema](../${schemaFileOf(type)})`,
    '',
  ];
}

function exampleJson(eventType: EventType): string {
  return compactJson(exampleEvent(eventType), ['record', 'previous']);
}

/** `added` (list of string), `days` (integer) */
function detailList(properties: Readonly<Record<string, JsonSchema>>): string {
  return Object.entries(properties)
    .map(([name, schema]) => `\`${name}\` (${kind(schema)})`)
    .join(', ');
}

function kind({ type, items }: JsonSchema): string {
  if (type === 'array') return `list of ${kind((items ?? {}) as JsonSchema)}s`;
  return Array.isArray(type) ? type.join(' or ') : String(type ?? 'any value');
}

function otherResources(): string[] {
  return [
    '## Other resources',
    '',
    'The API shows no fields of these; switch on those you want under `source.resources`. Each has four events, and all of',
    'them share the four schemas `record.*`:',
    '',
    `${others.map((name) => `\`${name}\``).join(', ')}.`,
    '',
    '| type | meaning | when |',
    '|---|---|---|',
    ...eventTypesOf(SHOWN).map(({ type, meaning, when }) => {
      const named = (text: string) => text.replaceAll(` ${SHOWN} `, ' record ');
      return `| [\`<resource>${type.slice(SHOWN.length)}\`](../${schemaFileOf(type)}) | ${named(meaning)} | ${named(when)} |`;
    }),
    '',
    `<details><summary>Example: ${SHOWN}.updated</summary>`,
    '',
    '```json',
    exampleOf(`${SHOWN}.updated`),
    '```',
    '',
    '</details>',
    '',
  ];
}
