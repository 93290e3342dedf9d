/** Sample events and messages for the Slack tests, and functions that read blocks. */

import fc from 'fast-check';
import type { RichPiece, SlackBlock, SlackMessage, SlackText } from '../../../../adapters/channels/slack/block-kit.ts';
import { eventTypeOf, eventTypes } from '../../../../core/events/catalogue.ts';
import { exampleEvent } from '../../../../core/events/examples.ts';
import type { EventData, TidingsEvent } from '../../../../core/model/event.ts';
import type { Fields } from '../../../../core/model/record.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { resources } from '../../../../core/resources/catalogue.ts';
import { subscription } from '../../../samples.ts';

/** Tuesday, 08:30 in Berlin. */
const AT = '2026-11-24T07:30:00.000Z';

export const links = {
  task: 'https://work.example.com/tasks/view/{localid}',
  invoice: 'https://work.example.com/invoices/view/{localid}',
};

/** The example of the catalogue, with changes to its record and data. */
export function example(type: string, record: Fields = {}, change: Partial<EventData> = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  return { ...event, data: { ...event.data, ...change, record: { ...event.data.record, ...record } } };
}

/** This many tasks, each another record. */
export function tasks(type: string, count: number, record: Fields = {}): TidingsEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    ...example(type, { id: String(index), localid: String(index), title: `Task no. ${index}`, ...record }),
    subject: `task/${index}`,
  }));
}

export function outboundMessage(
  events: readonly TidingsEvent[],
  change: Partial<OutboundMessage> = {},
  subscribed: Partial<Subscription> = {},
): OutboundMessage {
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('expected at least one event');
  const to = { channel: 'slack', settings: { webhook: '${SLACK_URL}' } };
  return {
    subscription: subscription('team', { to, ...subscribed }),
    events: [first, ...rest],
    delivery: 'dlv_1',
    at: AT,
    timeZone: 'Europe/Berlin',
    ...change,
  };
}

export function blocksOf({ blocks, attachments = [] }: SlackMessage): readonly SlackBlock[] {
  return [...blocks, ...attachments.flatMap((attachment) => attachment.blocks)];
}

export function richPieces(blocks: readonly SlackBlock[]): readonly RichPiece[] {
  return blocks.flatMap((block) =>
    block.type === 'rich_text'
      ? block.elements.flatMap((one) =>
          one.type === 'rich_text_list' ? one.elements.flatMap(({ elements }) => elements) : one.elements,
        )
      : [],
  );
}

export function textObjects(blocks: readonly SlackBlock[]): readonly SlackText[] {
  return blocks.flatMap((block) => {
    if (block.type === 'rich_text' || block.type === 'actions') return [];
    if (block.type === 'context') return block.elements;
    return 'fields' in block ? block.fields : [block.text];
  });
}

/** The plain text of rich text. */
export const wordsOf = (blocks: readonly SlackBlock[]) =>
  richPieces(blocks)
    .map((piece) => (piece.type === 'user' ? `@${piece.user_id}` : piece.text))
    .join('');

/** The facts by label: `Due` is `Fri 20 Nov`. */
export function factsOf(message: SlackMessage): Readonly<Record<string, string>> {
  const fields = blocksOf(message).flatMap((block) => ('fields' in block ? block.fields : []));
  return Object.fromEntries(
    fields.map(({ type, text }) => {
      const [label = '', ...value] = text.split('\n');
      return [type === 'mrkdwn' ? label.slice(1, -1) : label, value.join('\n')];
    }),
  );
}

/** Long and hostile texts. */
export const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    '<!channel>',
    '<!here|x>',
    '<@U024ANN>',
    '<https://evil.example|ok>',
    '*bold* _it_ ~no~ `code` ```pre```',
    ':smile: :skull:',
    '> quoted\n>>> more',
    'a\r\nb\u2028c',
    '\u202eevil\u202c \u2066x\u2069',
    '&amp; & &lt;',
    '\ud800',
    '2026-02-30 2026-11-20',
    '“”',
    '',
    ' ',
  ),
  fc
    .tuple(fc.constantFrom('"', '\\', '<', '&', '🦊', '\u0000', '*', '”', 'x'), fc.integer({ min: 1, max: 40_000 }))
    .map(([text, times]) => text.repeat(times)),
);
const value = fc.oneof(hostile, fc.array(hostile, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

/** Any type of event about a record whose every field is hostile. */
export const anyEvent: fc.Arbitrary<TidingsEvent> = fc
  .record({
    eventType: fc.constantFrom(...eventTypes),
    values: fc.array(value, { minLength: 1, maxLength: 12 }),
    id: fc.nat(),
    name: hostile,
    details: fc.option(fc.dictionary(fc.constantFrom('addedNames', 'removedNames', 'from', 'hours', 'amount'), value)),
  })
  .map(({ eventType: { type }, values, id, name, details }) => {
    const resource = type.slice(0, type.indexOf('.'));
    const fields = Object.keys(resources.find((one) => one.name === resource)?.fields ?? {});
    const at = (index: number) => (values[index % values.length] ?? null) as Fields[string];
    const record = Object.fromEntries([...fields, 'name', 'reason'].map((field, index) => [field, at(index)]));
    const changes = [...fields, JSON.stringify(at(0))].map((field, index) => ({
      field,
      from: at(index),
      to: at(index + 1),
    }));
    const more = details === null ? {} : { details: details as Fields };
    const event = example(type, {}, { changes, by: { id: '1', name }, ...more });
    return { ...event, subject: `${resource}/${id}`, data: { ...event.data, record } };
  });
