/** Renders the message that a subscription sends, for a sample event or for the events of a delivery. Sends nothing. */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { visitMatches } from '../../core/filters/backtest.ts';
import { buildChatCard, type ChatCard } from '../../core/messages/chat-card.ts';
import { deliveryId } from '../../core/model/delivery.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { DAY, plus } from '../../core/model/time.ts';
import { type OutboundMessage, traitsOf } from '../../core/ports/channel.ts';
import { matchingExamples } from '../../runtime/config/check-template.ts';
import { type RenderedMessage, renderMessage } from '../../runtime/inspect/render.ts';
import { findDeliveryFor } from './deliveries.ts';
import { findEvent } from './events.ts';
import { eventFilterFor } from './events-within.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, isWithin } from './http/caller.ts';
import { runWithinBudget, workInTurn } from './http/work-budget.ts';
import { sourceZones } from './sources.ts';

export interface MessagePreview {
  /** The name of the channel: `slack`. */
  readonly channel: string;
  /** Its display name: `Slack`. */
  readonly label: string;
  readonly audience: 'people' | 'machines';
  /** The first event that the message is about. */
  readonly event: TidingsEvent;
  /** Whether no recorded event matches, so that the event is an example of the catalogue. */
  readonly isExample: boolean;
  /** The neutral form of the message, for channels that people read. */
  readonly card: ChatCard | null;
  /** The parts that are sent. */
  readonly rendered: RenderedMessage;
}

const SAMPLE_DAYS = 7;

export interface MessagePreviewOptions {
  /** The id of a recorded event. @default - the newest event of the last week that the subscription matches */
  readonly event?: string;
  /** The type of an example, instead of a recorded event. @default - the first type that matches, if no event does */
  readonly type?: string;
}

/** Null if there is neither an event nor an example. */
export async function previewMessage(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  options: MessagePreviewOptions = {},
): Promise<MessagePreview | null> {
  const recorded = await findSample(api, caller, subscription, options);
  const globs = options.type === undefined ? subscription.events : [options.type];
  const event = recorded ?? matchingExamples(globs, api.config.customEvents).find(({ type }) => isWithin(caller, type));
  if (event === undefined) return null;
  const isExample = recorded === undefined;
  return { ...(await render(api, caller, subscription, [event], {})), event, isExample };
}

async function findSample(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  { event, type }: MessagePreviewOptions,
): Promise<TidingsEvent | undefined> {
  if (event !== undefined) return findEvent(api, caller, event);
  if (type !== undefined) return undefined;
  const now = api.clock.now();
  const period = { since: plus(now, -SAMPLE_DAYS * DAY), until: now };
  let newest: TidingsEvent | undefined;
  const visit = (one: TidingsEvent) => {
    newest = one;
  };
  const isVisible = await eventFilterFor(api, caller);
  await runWithinBudget(api, caller, (pace) =>
    visitMatches(api.events, subscription, period, visit, { types: caller.events, isVisible, pace }),
  );
  return newest;
}

/** What a delivery sends, as it would be rendered now. Null if its subscription or its events are no longer kept. */
export async function previewDelivery(api: ApiPorts, caller: Caller, id: string): Promise<MessagePreview | null> {
  const delivery = await findDeliveryFor(api, caller, id);
  const subscription = await api.subscriptions.get(delivery.subscription);
  const events = (await api.events.getMany(delivery.events)).filter(({ type }) => isWithin(caller, type));
  const [first, ...others] = events;
  if (subscription === undefined || first === undefined) return null;
  const { mark } = delivery;
  const options = { delivery: delivery.id, mark };
  return { ...(await render(api, caller, subscription, [first, ...others], options)), event: first, isExample: false };
}

async function render(
  api: ApiPorts,
  caller: Caller,
  subscription: Subscription,
  events: OutboundMessage['events'],
  options: Partial<Pick<OutboundMessage, 'delivery' | 'mark'>>,
): Promise<Omit<MessagePreview, 'event' | 'isExample'>> {
  const { name: channel, label, audience } = traitsOf(channelRegistry, subscription.to);
  const message: OutboundMessage = {
    subscription,
    events,
    delivery: deliveryId('preview', subscription.name),
    at: api.clock.now(),
    timeZone: subscription.timeZone ?? (await sourceZones(api)).get(sourceName(events[0])) ?? 'UTC',
    ...options,
  };
  const { links } = api.config;
  const rendered = await workInTurn(api, caller, () => renderMessage(message, { links }));
  const card = audience === 'people' ? await workInTurn(api, caller, () => buildChatCard(message, { links })) : null;
  return { channel, label, audience, card, rendered };
}
