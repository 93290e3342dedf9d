/** Events with hostile content, and an HTML reader that checks the output made from them. */

import fc from 'fast-check';
import { eventTypes } from '../../../core/events/catalogue.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import { resources } from '../../../core/resources/catalogue.ts';
import { example } from '../../pictures/sample-messages.ts';

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<a href="javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '</style></title></textarea><svg onload=alert(1)>',
  '<p style="position:fixed" class="inner">x</p>',
  '<table><tr><td><h1>x</h1></td></tr></table>',
  '<b><div><i></b></div>',
  'a\r\nBcc: victim@example.com\r\n\r\nbody',
  '\u0000\u2028\u202e\ud800',
  '=?UTF-8?Q?=0D=0ABcc:_x?=',
  'Zoë 日本語 🦊',
  '',
];

/** Very long and hostile texts. */
export const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(...ATTACKS),
  fc
    .array(fc.constantFrom(...ATTACKS, '<', '>', '"', '&', '<div>', '<h2>', '</p>'), { maxLength: 12 })
    .map((all) => all.join('')),
  fc
    .tuple(fc.constantFrom('"', '<', '&', '<p>x', '<b>', '🦊', '\u0000', 'x'), fc.integer({ min: 1, max: 20_000 }))
    .map(([text, times]) => text.repeat(times)),
);

/** An object with its own `toString` member, which `String` cannot convert. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const value = fc.oneof(hostile, fc.array(hostile, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

/** An event of any type with such values in every field. */
export const anyEvent: fc.Arbitrary<TidingsEvent> = fc
  .record({
    eventType: fc.constantFrom(...eventTypes),
    values: fc.array(value, { minLength: 1, maxLength: 12 }),
    author: fc.option(hostile),
  })
  .map(({ eventType: { type }, values, author }) => {
    const resource = type.slice(0, type.indexOf('.'));
    const fields = Object.keys(resources.find(({ name }) => name === resource)?.fields ?? {});
    const at = (index: number) => (values[index % values.length] ?? null) as Fields[string];
    const record = Object.fromEntries([...fields, 'name', 'reason'].map((field, index) => [field, at(index)]));
    const changes = [...fields, asText(at(0))].map((field, index) => ({ field, from: at(index), to: at(index + 1) }));
    const event = example(type);
    const by = author === null ? {} : { by: { id: author, name: author } };
    return {
      ...event,
      subject: `${resource}/${asText(at(0))}`,
      data: { ...event.data, record: { ...event.data.record, ...record }, changes, ...by },
    };
  });

export interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const TAG = /<\/?([a-z!][a-z0-9]*)((?: [a-z-]+(?:="[^"<>]*")?)*) ?\/?>/g;

/** All tags in order. Throws at any other markup than plain tags with quoted attributes. */
export function tagsOf(html: string): readonly Tag[] {
  const document = html.replace(/<style>[^<]*<\/style>/, '<style>');
  const rest = document.replaceAll(TAG, '');
  if (/[<>]/.test(rest)) throw new Error(`a stray mark in: ${rest.slice(0, 2000)}`);
  return [...document.matchAll(TAG)].map(([, name = '', attributes = '']) => ({
    name,
    attributes: Object.fromEntries(
      [...attributes.matchAll(/ ([a-z-]+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [key, value]),
    ),
  }));
}
