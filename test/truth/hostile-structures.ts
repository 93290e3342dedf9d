/** Requests whose structure is hostile, of any length: many keys, values, operators and alternatives, deep nesting. As JSON texts. */

import type { TextShape } from './growth.ts';

/** A text of about this length, from as many items as it takes. */
function ofItems(
  name: string,
  item: (index: number) => unknown,
  wrap: (items: readonly unknown[]) => unknown,
): TextShape {
  return {
    name,
    make: (length) => {
      const size = JSON.stringify(item(1000)).length + 1;
      return JSON.stringify(
        wrap(Array.from({ length: Math.max(1, Math.floor(length / size)) }, (_, index) => item(index))),
      );
    },
  };
}

function nested(
  name: string,
  open: string,
  close: string,
  wrap: (inner: string) => string = (inner) => inner,
): TextShape {
  return {
    name,
    make: (length) => {
      const levels = Math.floor(length / (open.length + close.length));
      return wrap(`${open.repeat(levels)}1${close.repeat(levels)}`);
    },
  };
}

const entry = (index: number, value: unknown) => ({ [`key${index}`]: value });
const merged = (items: readonly unknown[]) => Object.assign({}, ...items) as object;
const receiver = { url: 'http://127.0.0.1:1/never-called', events: ['task.closed'] };
const filter = { events: ['task.closed'] };
const ofRecord = (record: unknown) => ({ data: { record } });

/** Each in the form of a subscription, and of a filter, which has no receiver. */
const withWhere = (name: string, item: (index: number) => unknown, where: (items: readonly unknown[]) => unknown) =>
  [receiver, filter].map((base) =>
    ofItems(`${name}${base === filter ? ', in a filter' : ''}`, item, (items) => ({ ...base, where: where(items) })),
  );

export const BODY_SHAPES: readonly TextShape[] = [
  ofItems('many keys', (index) => entry(index, index), merged),
  ofItems(
    'many lists',
    () => [],
    (items) => items,
  ),
  nested('deep objects', '{"a":', '}'),
  nested('deep lists', '[', ']'),
  nested('a deep filter', '{"a":', '}', (inner) => `{"url":"http://127.0.0.1:1","events":["*"],"where":${inner}}`),
  ...withWhere(
    'many fields',
    (index) => entry(index, ['x']),
    (items) => ofRecord(merged(items)),
  ),
  ...withWhere(
    'many values',
    (index) => `value ${index}`,
    (items) => ofRecord({ title: items }),
  ),
  ...withWhere(
    'many operators',
    (index) => ({ wildcard: `*a${index}*b*` }),
    (items) => ofRecord({ title: items }),
  ),
  ...withWhere(
    'long lists of exceptions',
    (index) => `value ${index}`,
    (items) => ofRecord({ title: [{ 'anything-but': items }] }),
  ),
  ...withWhere(
    'many alternatives',
    (index) => entry(index, ['x']),
    (items) => ({ $or: items }),
  ),
  ...withWhere(
    'alternatives of alternatives',
    (index) => ({ $or: [entry(index, ['x']), entry(index, ['y'])] }),
    (items) => items.reduceRight((inner, one) => ({ data: inner, ...Object(one) }), ofRecord({ title: ['x'] })),
  ),
  ofItems(
    'many event types',
    (index) => `task.*${index}*`,
    (events) => ({ ...receiver, events }),
  ),
  ofItems(
    'many headers',
    (index) => entry(index, 'x'),
    (items) => ({ ...receiver, headers: merged(items) }),
  ),
  ofItems(
    'many template keys',
    (index) => entry(index, '{{ line }}'),
    (items) => ({ ...receiver, template: { body: merged(items) } }),
  ),
  ofItems(
    'many words',
    (index) => `project:a${index}`,
    (items) => ({ url: receiver.url, query: `task.closed ${items.join(' ')}` }),
  ),
  ofItems(
    'many unknown words',
    (index) => `word${index}`,
    (items) => ({ url: receiver.url, query: items.join(' ') }),
  ),
];

/** Of templates. Liquid counts the lines from the start for each name, so that only the longest template bounds the time. */
export const TEMPLATE_SHAPES: readonly TextShape[] = [
  ofItems(
    'many outputs',
    () => '{{ line }}',
    (items) => ({ ...receiver, template: { body: { text: items.join('') } } }),
  ),
  ofItems(
    'many conditions',
    () => '{% if line %}{% endif %}',
    (items) => ({ ...receiver, template: { body: { text: items.join('') } } }),
  ),
];

/** The parameters of a URL. */
export const QUERY_SHAPES: readonly TextShape[] = [
  {
    name: 'many parameters',
    make: (length) => Array.from({ length: length / 10 }, (_, index) => `p${index}=1`).join('&'),
  },
  { name: 'one parameter many times', make: (length) => 'limit=1&'.repeat(length / 8) },
  { name: 'a long pattern', make: (length) => `type=${'a*'.repeat(length / 2)}` },
  { name: 'a long text', make: (length) => `text=${'a+'.repeat(length / 2)}` },
  { name: 'a long cursor', make: (length) => `after=${'A'.repeat(length)}` },
];
