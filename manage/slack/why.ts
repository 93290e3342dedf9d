/** `why` and the button Why?: explains a record to a channel, without what other channels get. */

import { readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import { deriveAhead } from '../../core/delivery/explain.ts';
import { type ExplainedEvent, type ExplainedSubscription, isTest } from '../../core/delivery/explain-event.ts';
import { type Delay, sayDelay } from '../../core/delivery/explain-wait.ts';
import { sayEvent } from '../../core/events/catalogue.ts';
import { customEventType } from '../../core/events/custom-events.ts';
import { lowerFirst } from '../../core/events/phrases.ts';
import { type Delivery, type DeliveryStatus, skipReason } from '../../core/model/delivery.ts';
import { UsageError } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Pace } from '../../core/model/pace.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Instant } from '../../core/model/time.ts';
import { type ExplainResult, explain } from '../../runtime/inspect/explain.ts';
import { formatMoment } from '../../runtime/terminal/dates.ts';
import { isAdmin, isOffered, readMembership } from './authority.ts';
import { code, joinFew, joinInNotes, lines, note, section, slackTime } from './blocks.ts';
import { type SlackAnyBlock, type SlackReply, takeRows } from './fit-reply.ts';
import { createOutcomeFilter, createPlaceFilter, findReadersOfEach } from './personal-messages.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';
import { findNamed, findOthers, findOwn, isPostingTo } from './subscriptions-of-channel.ts';

/** A record with a long history: the newest are what people ask about. */
const MAX_EVENTS = 8;

export async function explainToChannel(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const membership = await readMembership(ports, place);
  const { subject = '' } = args;
  const named = { ...place, ...membership };
  const own = await findOwn(ports, { channel: place.channel });
  const posting = [...own, ...(await findOthers(ports, named))];
  const pressed = await findOfMessage(ports, args.block ?? '', named);
  // The subscription of the message is usually one of those that post here.
  const all = [...new Map([...posting, ...pressed].map((one) => [one.name, one])).values()];
  const readers = await findReadersOfEach(ports, named, all);
  const isOpenType = mayReadOffer(ports, membership, place.user);
  const isForPlace = await createPlaceFilter(ports, named, posting, readers);
  const isOfMessage = await createPlaceFilter(ports, named, pressed, readers);
  // A test happened to nobody. One that was asked about by its id may be of another channel.
  const mayRead = async (event: TidingsEvent, pace?: Pace) =>
    !isTest(event) &&
    (isOpenType(event.type) ||
      (event.id === subject && (await isOfMessage(event, pace))) ||
      (await isForPlace(event, pace)));
  const mayReadOutcome = createOutcomeFilter(ports, all, readers);
  const isOwn = (name: string) => own.some((one) => one.name === name);
  await replyTo(ports, running, await explainSubject(ports, subject, all, { mayRead, mayReadOutcome, isOwn }));
}

/** What the place may read of a record. */
interface ReadingRights {
  readonly mayRead: (event: TidingsEvent, pace?: Pace) => Promise<boolean>;
  readonly mayReadOutcome: (event: TidingsEvent, outcome: ExplainedSubscription) => Promise<boolean>;
  /** Whether the place made the subscription, so that it knows its conditions. */
  readonly isOwn: (subscription: string) => boolean;
}

/** The part of an explanation that the place may read. */
interface VisibleRecord extends Pick<ExplainResult, 'key' | 'zone' | 'asked'> {
  /** The newest. */
  readonly events: readonly ExplainedEvent[];
  /** How many there are besides. */
  readonly older: number;
  readonly next: { readonly at: Instant; readonly types: readonly string[] } | undefined;
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
  const isHere =
    subscription !== undefined && (await isPostingTo(ports, subscription, { ...place, thread: undefined }));
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
  rights: ReadingRights,
): Promise<SlackReply> {
  let found: VisibleRecord | undefined;
  try {
    found = await ports.inTurn(async (pace) => {
      const newest = { max: MAX_EVENTS, mayRead: (event: TidingsEvent) => rights.mayRead(event, pace) };
      const results = await explain(ports, ports.config, subject, { only: subscriptions, newest, pace });
      for (const result of results) {
        const visible = await confine(ports, result, rights, pace);
        if (visible !== undefined) return visible;
      }
      return undefined;
    });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // The names of sources are not for everyone: one that does not exist gets the same answer as one that does.
    if (error.code === 'TIDINGS_EVENT_UNKNOWN' || /^[^/]+\/[^/]+\/[^/]+$/.test(subject))
      return sayNothingKnown(subject);
    return { text: `Which record? For example ${code('/tidings why task/412')}, got ${code(subject)}.` };
  }
  return found === undefined ? sayNothingKnown(subject) : describe(found, rights);
}

/** Undefined if the place may read no event of the record. */
async function confine(
  ports: SlackPorts,
  { key, steps, older = 0, snapshot, zone, asked }: ExplainResult,
  { mayRead, mayReadOutcome }: ReadingRights,
  pace: Pace,
): Promise<VisibleRecord | undefined> {
  const events: ExplainedEvent[] = [];
  for (const one of steps.flatMap((step) => step.events)) {
    await pace();
    const subscriptions: ExplainedSubscription[] = [];
    for (const outcome of one.subscriptions) {
      if (await mayReadOutcome(one.event, outcome)) subscriptions.push(outcome);
    }
    events.push({ ...one, subscriptions });
  }
  if (events.length === 0 || snapshot === null) return undefined;
  return { key, zone, asked, events, older, next: await findNext(ports, { snapshot, zone }, mayRead) };
}

/** The next events that time brings to the record as it is now. It may have left what the place gets. */
async function findNext(
  { config }: SlackPorts,
  { snapshot, zone }: { readonly snapshot: Snapshot; readonly zone: string },
  mayRead: ReadingRights['mayRead'],
): Promise<VisibleRecord['next']> {
  const customEvents = config.customEvents.map(customEventType);
  for (const { at, events } of deriveAhead(snapshot, zone, { rules: config.rules, customEvents })) {
    const types: string[] = [];
    for (const event of events) if (await mayRead(event)) types.push(event.type);
    if (types.length > 0) return { at, types };
  }
  return undefined;
}

/** The same whether a record or an event does not exist or is nothing for this channel: guessing reveals nothing. */
const sayNothingKnown = (subject: string): SlackReply => ({
  text: `Nothing about ${code(subject)} is known that this channel may see.`,
});

function describe({ key, zone, asked, events, older, next }: VisibleRecord, rights: ReadingRights): SlackReply {
  const newest = events.toReversed();
  const max = Math.floor(MAX_OUTCOMES / newest.length);
  const rows = takeRows(newest.map((one) => describeEvent(one, rights, zone, { max, isAsked: asked !== null })));
  const count = events.length + older;
  const left = count - rows.length;
  const name = `${key.resource}/${key.id}`;
  const text = `${name}: ${count} ${count === 1 ? 'event' : 'events'}`;
  return {
    text,
    blocks: [
      section(`*${text}*, the newest first`),
      ...rows.flat(),
      ...(left > 0 ? [note(`and ${left} older, which ${sayExplain(name)}`)] : []),
      ...(next === undefined ? [] : [note(`Next: ${joinFew(next.types)} at ${slackTime(next.at)}`)]),
    ],
  };
}

const sayExplain = (subject: string) => `the operator of Tidings sees with ${code(`tidings explain ${subject}`)}`;

/** Characters of a message about what became of its events. */
const MAX_OUTCOMES = 8000;
const MAX_OUTCOME = 300;

interface OutcomeLimits {
  /** Characters about what became of this event. */
  readonly max: number;
  /** Whether the message is about the change of one event, which leaves more room. */
  readonly isAsked: boolean;
}

function describeEvent(
  { event, rule, subscriptions }: ExplainedEvent,
  { isOwn }: ReadingRights,
  zone: string,
  { max, isAsked }: OutcomeLimits,
): SlackAnyBlock[] {
  // Of many, most are those of subscriptions that the event does not match.
  const sentFirst = subscriptions.toSorted((a, b) => Number(a.delivery === null) - Number(b.delivery === null));
  const all = sentFirst.flatMap((one) => {
    const words = outcomeWords(one, isOwn, zone);
    return words === undefined ? [] : [code(words, MAX_OUTCOME)];
  });
  const { notes, left } = joinInNotes(all, max);
  const where = isAsked ? sayExplain(event.id) : `${code(`/tidings why ${event.id}`)} shows`;
  return [
    lines([sayEvent(event)]),
    note(
      `${slackTime(event.time)} · ${code(event.type)}${rule === null ? '' : ` · ${lowerFirst(escapeRule(rule.when))}`}`,
    ),
    ...(all.length === 0 ? [note('no subscription of this channel')] : notes),
    ...(left > 0 ? [note(`and ${left} more, which ${where}`)] : []),
  ];
}

/** Undefined for a subscription that does not ask for events of this type. */
function outcomeWords(
  { subscription, delivery, verdict, wait }: ExplainedSubscription,
  isOwn: ReadingRights['isOwn'],
  zone: string,
): string | undefined {
  if (delivery !== null) return `${subscription}: ${deliveryWords(delivery, wait, zone)}`;
  if (verdict === null) return undefined;
  if (verdict.wanted) return `${subscription}: matches now, but did not exist or match at that time`;
  if (verdict.because === 'type') return undefined;
  const [mismatch] = verdict.mismatches;
  // The conditions of others may name projects and clients that nobody here knows of.
  const expectation = isOwn(subscription) ? `expected ${mismatch?.expected}` : 'which does not match';
  return `${subscription}: ${mismatch?.path} is ${mismatch?.found}, ${expectation}`;
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
