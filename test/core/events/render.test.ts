import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventTypeOf, eventTypes } from '../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../core/events/examples.ts';
import { lineOf, type SlackText, slackBlocks, slackText } from '../../../core/events/render.ts';
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
const changed = (field: string, from: Fields[string], to: Fields[string], record: Fields = { id: '1', title: 'T' }) =>
  example('task.updated', { record, changes: [{ field, from, to }] });

/** All texts of blocks, in order. */
function textsOf(event: TidingsEvent, link?: string): readonly SlackText[] {
  return slackBlocks(event, link === undefined ? {} : { link }).flatMap((block) =>
    block.type === 'context' ? block.elements : 'fields' in block ? block.fields : [block.text],
  );
}

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

describe('slackBlocks', () => {
  it('tells what happened, the facts in two columns, and when, with a link', () => {
    expect(slackBlocks(example('invoice.overdue'), { link: 'https://work.example.com/i/42?a=1&b=2' })).toEqual([
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: '🔴 Invoice “Website relaunch, October” of Northwind Traders is overdue since 2026-11-30: 1,200.50',
          emoji: false,
        },
      },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Client*' },
          { type: 'plain_text', text: 'Northwind Traders', emoji: false },
          { type: 'mrkdwn', text: '*Project*' },
          { type: 'plain_text', text: 'Website relaunch', emoji: false },
          { type: 'mrkdwn', text: '*Total*' },
          { type: 'plain_text', text: '1,200.50', emoji: false },
          { type: 'mrkdwn', text: '*Paid*' },
          { type: 'plain_text', text: '0.00', emoji: false },
          { type: 'mrkdwn', text: '*Left to pay*' },
          { type: 'plain_text', text: '1,200.50', emoji: false },
        ],
      },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Due*' },
          { type: 'plain_text', text: '2026-11-30', emoji: false },
        ],
      },
      {
        type: 'context',
        elements: [
          { type: 'mrkdwn', text: '<!date^1796079600^{date_short_pretty}, {time}|30 Nov 2026, 23:00 UTC>' },
          { type: 'plain_text', text: 'invoice.overdue', emoji: false },
          { type: 'mrkdwn', text: '<https://work.example.com/i/42?a=1&amp;b=2|Open invoice>' },
        ],
      },
    ]);
  });

  it.each([
    ['a value', changed('datedue', '2026-11-18', '2026-11-20'), 'datedue: 2026-11-18 → 2026-11-20'],
    ['nothing', changed('datedue', '2026-11-18', null), 'datedue: 2026-11-18 → none'],
    ['a list', changed('tags', ['a'], ['a', 'b']), 'tags: a → a, b'],
    ['yes and no', changed('active', true, false), 'active: yes → no'],
    ['HTML as its words', changed('summary', '<p>a &amp; b</p>', ''), 'summary: a & b → none'],
    ['an id by the name beside it', changed('statusid', '1', '2', { id: '1', status: 'Open' }), 'status: now Open'],
    ['an id without a name', changed('statusid', '1', '2'), 'statusid: 1 → 2'],
    ['people who are gone', changed('assigneeid', ['1'], [], { id: '1', assignees: [] }), 'assignees: now none'],
  ])('tells a change of %s', (_, event, line) => {
    expect(textsOf(event).map(({ text }) => text)).toContain(line);
  });

  it('tells eight changes, and how many more there are', () => {
    const changes = Array.from({ length: 11 }, (_, index) => ({ field: `f${index}`, from: 1, to: 2 }));
    const [told = ''] = textsOf(example('task.updated', { changes }))
      .map(({ text }) => text)
      .filter((text) => text.startsWith('f0'));
    expect(told.split('\n')).toHaveLength(9);
    expect(told).toMatch(/\nf7: 1 → 2\nand 3 more$/);
  });

  it('escapes the line for notifications', () => {
    expect(slackText(titled('<!channel> & co'))).toBe('Task “&lt;!channel&gt; &amp; co” was closed');
  });

  it.each(['javascript:alert(1)', 'nonsense', `https://example.com/${'a'.repeat(2000)}`])(
    'leaves out %.20s',
    (link) => {
      expect(slackBlocks(titled('a'), { link })).toEqual(slackBlocks(titled('a')));
    },
  );

  it('lets no link end early', () => {
    const texts = textsOf(titled('a'), 'https://example.com/?q=x|y>z<!here>');
    expect(texts.at(-1)?.text).toMatch(/^<https:[^<>|]+\|Open task>$/);
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
  it('makes blocks within all limits, in which no foreign text is a mark', () => {
    fc.assert(
      fc.property(anyEvent, link, (event, link) => {
        const blocks = slackBlocks(event, { link });
        expect(blocks.length).toBeLessThanOrEqual(5);
        expect(JSON.stringify(blocks).length).toBeLessThan(13_200);
        expect(slackText(event)).not.toMatch(/[<>\n]|&(?!amp;|lt;|gt;)/);
        for (const block of blocks) {
          if (block.type === 'section' && 'fields' in block) expect(block.fields.length).toBeLessThanOrEqual(10);
        }
        for (const { type, text } of textsOf(event, link)) {
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThan(2000);
          expect(text.isWellFormed()).toBe(true);
          if (type === 'mrkdwn')
            expect(text).toMatch(/^(\*[A-Z][a-z ]+\*|<!date\^[^<>|]+\|[^<>|]+>|<https?:[^<>|]+\|Open \w+>)$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
