/** `why` and the button Why?: explains a record to a channel, without what other channels get. */

import { readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import type { ExplainedEvent } from '../../core/delivery/explain-event.ts';
import { type Delay, sayDelay } from '../../core/delivery/explain-wait.ts';
import { sayEvent } from '../../core/events/catalogue.ts';
import { lowerFirst } from '../../core/events/phrases.ts';
import { compileMatcher } from '../../core/filters/match.ts';
import { type Delivery, type DeliveryStatus, skipReason } from '../../core/model/delivery.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { type ExplainResult, explain } from '../../runtime/inspect/explain.ts';
import { formatMoment } from '../../runtime/terminal/dates.ts';
import { isAdmin, isOffered, readMembership } from './authority.ts';
import { code, lines, note, section, slackTime } from './blocks.ts';
import { createPlaceFilter } from './personal-messages.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo, type SlackAnyBlock, type SlackReply } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { findNamed, findOthers, findOwn, isPostingTo } from './subscriptions-of-channel.ts';

/** A record with a long history: the newest are what people ask about. */
const MAX_EVENTS = 8;

export async function explainToChannel(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const membership = await readMembership(ports, place);
  const { subject = '' } = args;
  const posting = [
    ...(await findOwn(ports, { channel: place.channel })),
    ...(await findOthers(ports, { ...place, ...membership })),
  ];
  const pressed = await findOfMessage(ports, args.block ?? '', { ...place, ...membership });
  const isOpenType = mayReadOffer(ports, membership, place.user);
  const isForPlace = await createPlaceFilter(ports, { ...place, ...membership }, posting);
  const isOfMessage = compileMatcher(pressed);
  const mayRead = async (event: TidingsEvent) =>
    isOpenType(event.type) || (event.id === subject && isOfMessage(event).length > 0) || (await isForPlace(event));
  // The subscription of the message is usually one of those that post here.
  const all = new Map([...posting, ...pressed].map((one) => [one.name, one]));
  await replyTo(ports, running, await explainSubject(ports, subject, [...all.values()], mayRead));
}

/**
 * The press of a button shows that its event was in a message of this subscription here. None if the subscription posts elsewhere now:
 * what it does is for those who read it there.
 */
async function findOfMessage(
  ports: SlackPorts,
  block: string,
  place: RunningTask['task']['place'],
): Promise<readonly Subscription[]> {
  const reference = readBlockId(block);
  const subscription = reference && (await findNamed(ports, reference.subscription));
  // A message may be in a thread of a subscription that posts to the channel.
  const isHere = subscription !== undefined && isPostingTo(ports, subscription, { ...place, thread: undefined });
  return isHere ? [subscription] : [];
}

/** Guests and people of other organisations see only what their channel gets. */
function mayReadOffer(ports: SlackPorts, membership: { isGuest: boolean; isShared: boolean }, user: string) {
  const matches = (type: string) => isOffered(ports, [type]) || isAdmin(ports, user);
  return membership.isGuest || membership.isShared ? () => false : matches;
}

async function explainSubject(
  ports: SlackPorts,
  subject: string,
  subscriptions: readonly Subscription[],
  mayRead: (event: TidingsEvent) => Promise<boolean>,
): Promise<SlackReply> {
  const names = new Set(subscriptions.map(({ name }) => name));
  const visible = new Set<string>();
  let results: readonly ExplainResult[];
  try {
    results = await ports.inTurn(async (pace) => {
      const explained = await explain(ports, ports.config, subject, { only: subscriptions, pace });
      for (const { event } of explained.flatMap(({ steps }) => steps.flatMap((step) => step.events))) {
        if (await mayRead(event)) visible.add(event.id);
        await pace();
      }
      return explained;
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    if (error.code === 'TIDINGS_EVENT_UNKNOWN') return sayNothingKnown(subject);
    return { text: `Which record? For example ${code('/tidings why task/412')}, got ${code(subject)}.` };
  }
  const replies = results.map((result) => describe(result, names, visible)).filter((one) => one !== undefined);
  const [first] = replies;
  return first ?? sayNothingKnown(subject);
}

/** The same whether a record or an event does not exist or is nothing for this channel: guessing reveals nothing. */
const sayNothingKnown = (subject: string): SlackReply => ({
  text: `Nothing about ${code(subject)} is known that this channel may see.`,
});

function describe(
  { key, steps, ahead, snapshot, zone }: ExplainResult,
  names: ReadonlySet<string>,
  visible: ReadonlySet<string>,
): SlackReply | undefined {
  const events = steps.flatMap((step) => step.events).filter(({ event }) => visible.has(event.id));
  if (events.length === 0 || snapshot === null) return undefined;
  const blocks = events
    .slice(-MAX_EVENTS)
    .reverse()
    .flatMap((one) => describeEvent(one, names, zone));
  const left = events.length - MAX_EVENTS;
  const next = ahead.find((one) => one.events.some((type) => events.some(({ event }) => event.type === type)));
  const text = `${key.resource}/${key.id}: ${events.length} ${events.length === 1 ? 'event' : 'events'}`;
  return {
    text,
    blocks: [
      section(`*${text}*, the newest first`),
      ...blocks,
      ...(left > 0 ? [note(`and ${left} older`)] : []),
      ...(next === undefined ? [] : [note(`Next: ${next.events.join(', ')} at ${slackTime(next.at)}`)]),
    ],
  };
}

function describeEvent(
  { event, rule, subscriptions }: ExplainedEvent,
  names: ReadonlySet<string>,
  zone: string,
): SlackAnyBlock[] {
  const own = subscriptions.filter(({ subscription }) => names.has(subscription));
  const sent = own.flatMap(({ subscription, delivery, verdict, wait }) => {
    if (delivery !== null) return [`${subscription}: ${deliveryWords(delivery, wait, zone)}`];
    if (verdict === null) return [];
    if (verdict.wanted) return [`${subscription}: matches now, but did not exist or match at that time`];
    if (verdict.because === 'type') return [];
    const [mismatch] = verdict.mismatches;
    return [`${subscription}: ${mismatch?.path} is ${mismatch?.found}, expected ${mismatch?.expected}`];
  });
  return [
    lines([sayEvent(event)]),
    note(
      `${slackTime(event.time)} · ${code(event.type)}${rule === null ? '' : ` · ${lowerFirst(escapeRule(rule.when))}`}`,
    ),
    ...(sent.length === 0 ? [note('no subscription of this channel')] : [note(sent.map(code).join(' '))]),
  ];
}

const escapeRule = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Without the reasons of errors, which may name what another channel gets. */
function deliveryWords(delivery: Delivery, wait: Delay | undefined, zone: string): string {
  if (wait !== undefined) {
    const { because, until, since } = wait;
    return `waits: ${sayDelay({ because, until, since }, (at) => formatMoment(zone, at))}`;
  }
  const skipped = skipReason(delivery);
  if (skipped !== undefined) return `skipped: ${skipped}`;
  const labels: Readonly<Record<DeliveryStatus, string>> = {
    waiting: 'is about to be sent',
    pending: 'is about to be sent',
    held: 'is about to be sent',
    gathered: 'sent with others',
    settled: 'sent',
    failed: 'failed',
  };
  return labels[delivery.status];
}
