import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderSlackMessage } from '../../../../adapters/channels/slack/render-slack-message.ts';
import type { TidingsEvent } from '../../../../core/model/event.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { readPayload } from '../../../../simulator/slack/payload.ts';
import { anyEvent, blocksOf, hostile, outboundMessage, richPieces, textObjects } from './slack-samples.ts';

/** The only texts that Slack parses for markup: bold labels with values without markup, dates, and advice. */
const OURS = [
  /^\*[^*_~`<>&\n]+\*\n[^*_~`<>&\n]+$/,
  /^<!date\^-?\d+\^\{date_short_pretty\}, \{time\}\|[^<>|]+>$/,
  /^\*What to do:\* ([^*_~<>&]|<\/?)*$/,
  /^_and [\d,]+ more_$/,
];

function expectWithinLimits(sent: OutboundMessage, links: Record<string, string>, words?: { text: string }): void {
  const message = renderSlackMessage(sent, links, words === undefined ? {} : { template: words });
  const blocks = blocksOf(message);
  expect(blocks.length).toBeLessThanOrEqual(50);
  expect(JSON.stringify([message.blocks, message.attachments]).length).toBeLessThanOrEqual(13_200);
  expect(message.text.length).toBeGreaterThan(0);
  expect(message.text.length).toBeLessThanOrEqual(4000);
  expect(message.text.isWellFormed()).toBe(true);
  // The simulated Slack checks the other limits.
  expect(readPayload(JSON.parse(JSON.stringify(message)))).not.toHaveProperty('wrong');
  for (const block of blocks) {
    if ('fields' in block) expect(block.fields.length).toBeLessThanOrEqual(10);
    if (block.type === 'context') expect(block.elements.length).toBeLessThanOrEqual(10);
    if (block.type === 'header') expect(block.text.text.length).toBeLessThanOrEqual(150);
  }
}

function expectNoForeignMarks(sent: OutboundMessage, links: Record<string, string>): void {
  const message = renderSlackMessage(sent, links);
  expect(message.text).not.toMatch(/[<>\n]|&(?!amp;|lt;|gt;)/);
  for (const { type, text } of textObjects(blocksOf(message))) {
    if (type === 'mrkdwn') expect(OURS.filter((ours) => ours.test(text)).length, text).toBeGreaterThan(0);
  }
  for (const piece of richPieces(message.blocks)) {
    expect(piece.type).not.toBe('user');
    if (piece.type === 'link') expect(piece.url).toMatch(/^https?:\/\//);
  }
  const pieces = richPieces(message.blocks).flatMap((piece) => ('text' in piece ? [piece.text] : []));
  for (const text of [message.text, ...textObjects(blocksOf(message)).map(({ text }) => text), ...pieces])
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
}

const template = fc.oneof(
  fc.constantFrom('https://work.example.com/{localid}', 'https://example.com/?q={title}', 'javascript:{title}', '{id}'),
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);
const anyLinks = fc.dictionary(fc.constantFrom('task', 'invoice', 'project', 'person'), template);
const anyChange: fc.Arbitrary<Partial<OutboundMessage>> = fc.record(
  {
    mark: fc.constantFrom('replay', 'test'),
    thread: fc.constant('1763200000.000100'),
    timeZone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
  },
  { requiredKeys: [] },
);
const anySubscription = fc.constantFrom({}, { digest: { at: '08:30' } });

/** Up to 2,000 events built from a few random records, because 2,000 random records would take too long. */
const manyEvents: fc.Arbitrary<TidingsEvent[]> = fc
  .tuple(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 2000 }))
  .map(([kinds, count]) =>
    Array.from({ length: count }, (_, index): TidingsEvent => {
      const event = kinds[index % kinds.length] as TidingsEvent;
      const project = index % 3 === 0 ? `Project ${index}` : (event.data.record.project ?? null);
      return {
        ...event,
        subject: `${event.subject}${index}`,
        data: { ...event.data, record: { ...event.data.record, project } },
      };
    }),
  );

describe('any record, however long or hostile', () => {
  it('results in one message within every limit, in which no external text is markup or a mention', () => {
    fc.assert(
      fc.property(anyEvent, anyLinks, anyChange, anySubscription, (event, links, change, subscribed) => {
        const sent = outboundMessage([event], change, subscribed);
        expectWithinLimits(sent, links);
        expectNoForeignMarks(sent, links);
      }),
      { numRuns: 300 },
    );
  });

  it('results in one message within every limit for up to 2,000 events', () => {
    fc.assert(
      fc.property(manyEvents, anyLinks, anyChange, anySubscription, (events, links, change, subscribed) => {
        const sent = outboundMessage(events, change, subscribed);
        expectWithinLimits(sent, links);
        expectNoForeignMarks(sent, links);
      }),
      { numRuns: 40 },
    );
  });

  it('keeps the text of a template within the limits', () => {
    fc.assert(
      fc.property(anyEvent, anyChange, hostile, hostile, (event, change, one, other) => {
        expectWithinLimits(outboundMessage([event], change), {}, { text: `${one}\n${other}` });
      }),
      { numRuns: 150 },
    );
  });
});
