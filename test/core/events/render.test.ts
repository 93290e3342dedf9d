import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypeOf, eventTypes } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { lineOf, mailOf } from '../../../core/events/render.ts';
import type { EventData, TidingsEvent } from '../../../core/model/event.ts';
import type { Fields } from '../../../core/model/record.ts';
import { resources } from '../../../core/resources/catalogue.ts';

function example(type: string, change: Partial<EventData> = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  return { ...event, data: { ...event.data, ...change } };
}

const titled = (title: string) => example('task.closed', { record: { id: '412', title } });

describe('lineOf', () => {
  it('says what happened', () => {
    expect(lineOf(example('task.overdue'))).toBe(
      'Task “Proofread the newsletter” is overdue since 2026-11-20 in Website relaunch for Northwind Traders',
    );
  });

  it('stays on one line, and tells a type that nobody knows', () => {
    expect(lineOf(titled('a\r\nBcc: b\u2028c\u202e'))).toBe('Task “a Bcc: b c” was closed');
    expect(lineOf({ ...titled('a'), type: 'budget.blown' })).toBe('budget.blown Task “a”');
  });

  it('cuts between characters, never through one', () => {
    expect(lineOf(titled('🦊'.repeat(400)))).toMatch(/^Task “(🦊)+…$/u);
  });
});

describe('mailOf', () => {
  it('says the same in subject, text and HTML', () => {
    const { subject, text, html } = mailOf(example('task.due_date_changed'), {
      link: 'https://work.example.com/t/27',
      timeZone: 'Europe/Berlin',
    });
    expect(subject).toBe(
      'Task “Proofread the newsletter” is now due on 2026-11-20 in Website relaunch for Northwind Traders',
    );
    expect(text).toMatch(/\n\nProject: {5}Website relaunch\nClient: {6}Northwind Traders\nAssigned to: Ann Vogt\n/);
    expect(text).toContain('\n\nWhat changed:\n- datedue: 2026-11-18 → 2026-11-20\n\nhttps://work.example.com/t/27\n');
    expect(text).toMatch(/\n-- \n14 Nov 2026, 00:00 Europe\/Berlin · task\.due_date_changed · evt_[0-9a-f]{32}\n$/);
    expect(html).toContain('<td>Ann Vogt</td>');
    expect(html).toContain('<a href="https://work.example.com/t/27">Open task</a>');
    expect(html).toContain('<li>datedue: 2026-11-18 → 2026-11-20</li>');
  });

  it('escapes what could be markup', () => {
    const { html, text } = mailOf(titled(`<script>alert("x")</script>'`), { link: 'https://example.com/?a=1&b="' });
    expect(html).toContain('“&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;”');
    expect(html).not.toMatch(/<script|b="/);
    expect(text).toContain('<script>');
  });

  it('reads well for every type', () => {
    for (const { type } of eventTypes) {
      const { subject, text } = mailOf(example(type));
      expect(subject).toMatch(/^\S.{10,148}\S$/u);
      expect(text).not.toMatch(/undefined|null|\[object|NaN/);
    }
  });
});

/** Texts as long and as hostile as an account may hold them. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom('<!channel>', '<https://evil.example|ok>', 'a\r\nBcc: x', '&amp;', '\ud800', '"\\"', '`*_~', ''),
  fc
    .tuple(fc.constantFrom('"', '\\', '<', '&', '🦊', '\u0000', 'x'), fc.integer({ min: 1, max: 40_000 }))
    .map(([text, times]) => text.repeat(times)),
);
const value = fc.oneof(hostile, fc.array(hostile, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

const anyEvent: fc.Arbitrary<TidingsEvent> = fc
  .record({
    eventType: fc.constantFrom(...eventTypes),
    values: fc.array(value, { minLength: 1, maxLength: 12 }),
    details: fc.option(fc.dictionary(fc.constantFrom('addedNames', 'hours', 'days', 'amount'), value)),
  })
  .map(({ eventType: { type }, values, details }) => {
    const resource = type.slice(0, type.indexOf('.'));
    const fields = Object.keys(resources.find(({ name }) => name === resource)?.fields ?? {});
    const at = (index: number) => (values[index % values.length] ?? null) as Fields[string];
    const record = Object.fromEntries([...fields, 'name', 'reason'].map((field, index) => [field, at(index)]));
    const changes = [...fields, String(at(0))].map((field, index) => ({ field, from: at(index), to: at(index + 1) }));
    return example(type, { record, changes, ...(details === null ? {} : { details: details as Fields }) });
  });

const link = fc.oneof(hostile, fc.webUrl({ withQueryParameters: true, withFragments: true }));

describe('any record, however long or hostile', () => {
  it('makes a mail whose subject is one line, and whose HTML has no tags but ours', () => {
    fc.assert(
      fc.property(anyEvent, link, (event, link) => {
        const { subject, text, html } = mailOf(event, { link });
        expect(subject).toMatch(/^[^\p{Cc}\u2028\u2029]{1,150}$/u);
        expect(subject.length).toBeLessThanOrEqual(150);
        expect(text.length + html.length).toBeLessThan(40_000);
        const tags = [...html.matchAll(/<\/?([^\s>]*)/g)].map(([, tag]) => tag);
        const ours = ['!doctype', 'html', 'head', 'meta', 'body', 'p', 'table', 'tr', 'td', 'ul', 'li', 'a'];
        expect(tags.filter((tag) => !ours.includes(tag ?? ''))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
