/**
 * The channel-neutral message of a chat, as pieces of plain text: a title, facts and advice about one change, or groups of
 * lines about several. A chat renders it in its own markup and limits. Every length is bounded; see fit-groups.ts for lines.
 */

import type { Urgency } from '../events/event-type.ts';
import { formatZonedTime } from '../events/phrases.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Instant } from '../model/time.ts';
import { createZoneFormat } from '../model/zone-format.ts';
import type { ChatPerson, OutboundMessage, OutdatedData } from '../ports/channel.ts';
import { findAdvice } from './advice.ts';
import { groupByChange } from './change-events.ts';
import { clip } from './clip.ts';
import { type Links, linkTo } from './link.ts';
import { buildNeutralMessage, type Headline, lineOf, type NeutralMessage } from './neutral-message.ts';
import type { Fact } from './record-facts.ts';
import { type Summary, type SummaryGroup, type SummaryLine, summarise } from './summary.ts';

/** A piece of a line. The text is plain: whatever looks like markup in it is part of the text. */
export interface Span {
  readonly text: string;
  /** @default - ordinary text */
  readonly style?: 'bold' | 'italic' | 'code';
  /** An http or https URL. @default - not a link */
  readonly link?: string;
}

export interface CardGroup {
  /** The project, and the number of its lines: `Website relaunch`. */
  readonly title: string;
  /** The number of its lines, including those that are not in the card. */
  readonly count: number;
  readonly lines: readonly (readonly Span[])[];
}

export interface ChatCard {
  /** The message as one line of plain text, for notifications. */
  readonly line: string;
  /** `🔁 Sent again on request.` @default - an ordinary message */
  readonly note?: string;
  readonly urgency: Urgency;
  /** What happened, or a count of what happened. */
  readonly title: readonly Span[];
  /** Facts and changes. Empty in a card about several changes. */
  readonly facts: readonly Fact[];
  /** What to do, in a card about Tidings itself. Empty in others. */
  readonly advice: readonly Span[];
  /** Empty in a card about one change. */
  readonly groups: readonly CardGroup[];
  /** The number of lines of all groups, including those that are not in the card. */
  readonly count: number;
  /** Time, event type, and the number of further changes. */
  readonly footer: readonly string[];
  /** The people who should act. Replays, tests and digests ask no one to act. */
  readonly people: readonly ChatPerson[];
  /** When the event happened; for several, when the message is sent. */
  readonly time: Instant;
}

export interface ChatCardOptions {
  readonly links: Links;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
}

export const URGENCY_MARKS: Readonly<Record<Urgency, string>> = { good: '✅', plain: '🔹', soon: '⏳', late: '🔴' };

/** Colours as `#rrggbb` that suit a light and a dark theme. */
export const URGENCY_COLOURS: Readonly<Record<Urgency, string>> = {
  good: '#2eb67d',
  plain: '#6b8fb5',
  soon: '#ecb22e',
  late: '#e01e5a',
};

const MAX_FACTS = 10;
const MAX_LINES = 30;
const MAX_GROUP_TITLE_LENGTH = 100;
const MAX_LINE_LENGTH = 240;
const MAX_TYPE_LENGTH = 200;

export function buildChatCard(outbound: OutboundMessage, options: ChatCardOptions): ChatCard {
  const { events, subscription, recipient, fresh, timeZone } = outbound;
  const { digest } = subscription;
  const [only, ...more] = groupByChange(events);
  if (only !== undefined && more.length === 0 && fresh === undefined) return cardOfChange(only, outbound, options);
  const summary = summarise(events, {
    links: options.links,
    maxLines: Number.POSITIVE_INFINITY,
    groupBy: digest?.groupBy,
    reader: recipient,
    fresh,
    timeZone,
  });
  return cardOfSummary(summary, outbound, digest !== undefined);
}

/** The line of the card for a place with less room, such as the title of a post. */
export function shortLineOf({ line, groups }: ChatCard, { events, timeZone }: OutboundMessage, length: number): string {
  const [change] = groupByChange(events);
  return groups.length > 0 || change === undefined
    ? clip(line, length)
    : lineOf(change[0], change.slice(1), timeZone, length);
}

function cardOfChange(
  [lead, ...others]: readonly [TidingsEvent, ...TidingsEvent[]],
  outbound: OutboundMessage,
  { links, stack }: ChatCardOptions,
): ChatCard {
  const { timeZone, at, thread, subscription, people } = outbound;
  const message = buildNeutralMessage(lead, { link: linkTo(links, lead), timeZone, at, others, people });
  const { facts, more } = factTable(message, thread !== undefined);
  const note = markNote(outbound);
  return {
    line: message.line,
    note,
    urgency: message.urgency,
    title: [{ text: `${URGENCY_MARKS[message.urgency]} ` }, ...headlineSpans(message.headline, message.link)],
    facts,
    advice: codeSpans(findAdvice(lead, { stack, link: linkTo(links, lead) }) ?? ''),
    groups: [],
    count: 1,
    footer: [
      message.time,
      clip(lead.type, MAX_TYPE_LENGTH) || 'event',
      ...(more === 0 ? [] : [`and ${more} more ${more === 1 ? 'change' : 'changes'}`]),
    ],
    people: note === undefined && subscription.digest === undefined ? message.people : [],
    time: lead.time,
  };
}

function cardOfSummary(summary: Summary, outbound: OutboundMessage, isDigest: boolean): ChatCard {
  const { urgency, groups, count } = summary;
  const mark = isDigest ? greetingAt(outbound.at, outbound.timeZone) : undefined;
  const title = mark === undefined ? summary.title : `${mark}: ${summary.title}`;
  // If all have the same urgency, the title shows it.
  const isMixed = groups.some(({ lines }) => lines.some((line) => line.urgency !== urgency));
  return {
    line: title,
    note: noteOf(outbound),
    urgency,
    title: [{ text: isDigest ? '' : `${URGENCY_MARKS[urgency]} ` }, { text: title, style: 'bold' as const }].filter(
      ({ text }) => text !== '',
    ),
    facts: [],
    advice: [],
    groups: shareLines(groups, MAX_LINES).map((group) => ({
      title: clip(group.title, MAX_GROUP_TITLE_LENGTH) || 'Others',
      count: group.count,
      lines: group.lines.map((line) => lineSpans(line, isMixed)),
    })),
    count,
    footer: [],
    people: [],
    time: outbound.at,
  };
}

/** The name of the record is the link, in bold instead of quotes. */
function headlineSpans({ before, title, after }: Headline, link: string | undefined): readonly Span[] {
  if (title === '') return [{ text: before, style: 'bold', link }];
  return [{ text: before }, { text: title, style: 'bold' as const, link }, { text: after }].filter(
    ({ text }) => text !== '',
  );
}

/** The line omits the project, which the heading shows. */
function lineSpans({ headline, link, urgency, who, isNew }: SummaryLine, isMixed: boolean): readonly Span[] {
  const { before, title, after } = headline;
  const short = {
    ...headline,
    before: title === '' ? clip(before, MAX_LINE_LENGTH) : before.replace(/^Task $/, ''),
    // Keeps the space at its start.
    after: `${after.startsWith(' ') ? ' ' : ''}${clip(after, MAX_LINE_LENGTH)}`,
  };
  return [
    ...(isMixed ? [{ text: `${URGENCY_MARKS[urgency]} ` }] : []),
    ...headlineSpans(short, link),
    ...(who === '' ? [] : [{ text: ` · ${who}` }]),
    ...(isNew ? [{ text: ' · ' }, { text: 'new', style: 'bold' as const }] : []),
  ];
}

/** Text in backticks becomes code. */
function codeSpans(text: string): readonly Span[] {
  return text
    .split('`')
    .map((part, index): Span => (index % 2 === 0 ? { text: part } : { text: part, style: 'code' }))
    .filter((span) => span.text !== '');
}

/** Facts and changes in one table of at most ten rows: what changed reads `old → new`. A reply leaves out what is not news. */
export function factTable(
  { facts, changes, moreChanges, author }: NeutralMessage,
  isReply: boolean,
): { readonly facts: readonly Fact[]; readonly more: number } {
  const current = facts
    .filter(({ isNews }) => isNews || !isReply)
    .map(({ label, value, change }) => ({ label, value: change ?? value }));
  const by = author === undefined ? [] : [{ label: 'Changed by', value: author }];
  const others = changes.filter(({ isFact }) => !isFact).map(({ label, value }) => ({ label, value }));
  return {
    facts: [...current, ...by, ...others].slice(0, MAX_FACTS),
    more: moreChanges + Math.max(0, current.length + by.length + others.length - MAX_FACTS),
  };
}

/** Distributes the lines evenly among the groups, so that no project hides the others. Large groups get unused shares. */
export function shareLines(groups: readonly SummaryGroup[], maxLines: number): readonly SummaryGroup[] {
  const shares = new Map<SummaryGroup, number>();
  let left = maxLines;
  const bySize = groups.slice(0, maxLines).toSorted((a, b) => a.lines.length - b.lines.length);
  for (const [index, group] of bySize.entries()) {
    const share = Math.min(group.lines.length, Math.floor(left / (bySize.length - index)));
    shares.set(group, share);
    left -= share;
  }
  return groups.slice(0, maxLines).map((group) => ({ ...group, lines: group.lines.slice(0, shares.get(group) ?? 0) }));
}

/** What a message says before its content: that it is a test or a replay, or that its data are old. */
export function noteOf(outbound: OutboundMessage): string | undefined {
  const { outdated, timeZone } = outbound;
  return markNote(outbound) ?? (outdated === undefined ? undefined : `⚠️ ${sayOutdated(outdated, timeZone)}`);
}

const REASONS: Readonly<Record<NonNullable<OutdatedData['reason']>, (source: string) => string>> = {
  unreachable: (source) => `source ${source} is unreachable`,
  unauthorized: (source) => `source ${source} rejects the API token`,
  quota: (source) => `source ${source} has used up its API requests`,
};

/** `As of 14 Nov 2026, 22:10 Europe/Berlin: source main is unreachable. Later changes are missing.` */
export function sayOutdated({ source, readAt, reason }: OutdatedData, timeZone: string): string {
  const name = clip(source, MAX_TYPE_LENGTH);
  const why = reason === undefined ? `source ${name} could not be read since` : REASONS[reason](name);
  return `As of ${formatZonedTime(readAt, timeZone)}: ${why}. Later changes are missing.`;
}

/** What marks a test or a replay; undefined for an ordinary message. */
export function markNote({ mark, events: [first] }: OutboundMessage): string | undefined {
  if (mark === 'test' || first.test === true) return '🧪 Test message: nothing happened.';
  return mark === 'replay' ? '🔁 Sent again on request.' : undefined;
}

const hourFormatOf = createZoneFormat('en-GB', { hour: '2-digit', hourCycle: 'h23' });

/** `Good morning` */
export function greetingAt(at: Instant, zone: string): string {
  const hour = Number(hourFormatOf(zone).format(Date.parse(at)));
  if (hour >= 4 && hour < 12) return 'Good morning';
  return hour >= 12 && hour < 18 ? 'Good afternoon' : 'Good evening';
}
