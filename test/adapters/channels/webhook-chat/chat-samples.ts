/** Messages for the tests of chats with a webhook: ordinary ones, and any event or group whatever it contains. */

import fc from 'fast-check';
import type { ChatContent, WebhookChatSettings } from '../../../../adapters/channels/webhook-chat/dialect.ts';
import { chatContent } from '../../../../adapters/channels/webhook-chat/webhook-sender.ts';
import type { TidingsEvent } from '../../../../core/model/event.ts';
import type { Subscription } from '../../../../core/model/subscription.ts';
import type { OutboundMessage } from '../../../../core/ports/channel.ts';
import { anyEvent, hostile, links, outboundMessage } from '../slack/slack-samples.ts';

/** A message before it is rendered in the dialect of a chat. */
export function contentOf<Settings extends WebhookChatSettings>(
  settings: Settings,
  events: readonly TidingsEvent[],
  change: Partial<OutboundMessage> = {},
  subscribed: Partial<Subscription> = {},
  text?: string,
): ChatContent<Settings> {
  const to = { channel: 'chat', settings };
  return chatContent(outboundMessage(events, change, { to, ...subscribed }), settings, { links, text });
}

const anyChange: fc.Arbitrary<Partial<OutboundMessage>> = fc.record(
  {
    mark: fc.constantFrom('replay', 'test'),
    thread: fc.constant('1763200000000000100'),
    timeZone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns'),
  },
  { requiredKeys: [] },
);
const anySubscription = fc.constantFrom({}, { digest: { at: '08:30' } });

/** Up to 600 events built from a few random records, because as many random records would take too long. */
const anyEvents: fc.Arbitrary<readonly TidingsEvent[]> = fc
  .tuple(fc.array(anyEvent, { minLength: 1, maxLength: 6 }), fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 600 })))
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

/** Checks the message of any event, of any group of events, and of any text of a template. */
export function checkAnyContent<Settings extends WebhookChatSettings>(
  settings: Settings,
  check: (content: ChatContent<Settings>) => void,
  maxTextLength: number,
): void {
  fc.assert(
    fc.property(anyEvent, anyChange, anySubscription, (event, change, subscribed) =>
      check(contentOf(settings, [event], change, subscribed)),
    ),
    { numRuns: 100 },
  );
  fc.assert(
    fc.property(anyEvents, anyChange, anySubscription, (events, change, subscribed) =>
      check(contentOf(settings, events, change, subscribed)),
    ),
    { numRuns: 25 },
  );
  fc.assert(
    fc.property(anyEvent, anyChange, hostile, hostile, (event, change, one, other) => {
      // The template engine removes control characters and never returns an empty text.
      const text = `${one}\n${other}`
        .toWellFormed()
        .replaceAll(/(?!\n)\p{Cc}/gu, '')
        .slice(0, maxTextLength)
        .trim()
        .toWellFormed();
      check(contentOf(settings, [event], change, {}, text === '' ? 'x' : text));
    }),
    { numRuns: 60 },
  );
}

/** Titles that try to notify, to link, to format, or to leave their place. */
export const HOSTILE_TITLES: readonly string[] = [
  '@everyone @here @channel @all',
  '<!channel> <@U024ANN> <@123456789012345678> <@&123456789012345678> <users/all> <at>all</at>',
  '[ok](https://evil.example) https://evil.example www.evil.example',
  '<https://evil.example|ok> <a href="https://evil.example">ok</a>',
  '**bold** *it* _it_ ~~no~~ `code` ```pre``` ||secret|| # big',
  '# heading\n- item\n> quote\n| a | b |\n|---|---|',
  '{{DATE(2026-11-20T00:00:00Z)}} {{TIME(2026-11-20T00:00:00Z)}}',
  '](https://evil.example) **x',
  '\\](https://evil.example) \\\\[x](https://evil.example)',
  '\u202eevil\u202c \u2066x\u2069',
  '![x](https://evil.example/pixel.png)',
];
