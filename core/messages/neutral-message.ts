/**
 * The channel-neutral message about one event: headline, facts, changes and people, as plain text of bounded length. Every
 * channel renders it in its own markup and does not read the record.
 */

import { eventTypeOf, sayEvent } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import { nameOf } from '../events/life-events.ts';
import { formatZonedTime, lowerFirst } from '../events/phrases.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { ChatPerson, KnownPerson } from '../ports/channel.ts';
import { eventsToAdd } from './change-events.ts';
import { clip } from './clip.ts';
import { fitEvent, fitSentence } from './fit-sentence.ts';
import { httpLink } from './link.ts';
import { findPeopleConcerned } from './people-concerned.ts';
import { type ChangeFact, findChanges, findFacts, type RecordFact } from './record-facts.ts';

export interface MessageOptions {
  /** The link to the record. Schemes other than http and https are dropped. @default - no link */
  readonly link?: string;
  /** The time zone in which times are shown and days are counted. @default UTC */
  readonly timeZone?: string;
  /** When the message is sent. @default - when the event happened */
  readonly at?: string;
  /** The people of the account, by id. @default - none: people have the names of the event only */
  readonly people?: readonly KnownPerson[];
  /** Other events of the same change, heaviest first, which the sentence adds. @default - none */
  readonly others?: readonly TidingsEvent[];
}

/** A sentence split at the name of the record, so that a channel can show the name as a link. */
export interface Headline {
  /** `Task ` */
  readonly before: string;
  /** `Proofread the newsletter`; '' if the sentence does not name the record. */
  readonly title: string;
  /** The characters around the title in plain text: quotes, backticks or nothing. */
  readonly quotes: readonly [open: string, close: string];
  /** ` has been overdue since Sat 21 Nov` */
  readonly after: string;
}

export interface NeutralMessage {
  /** The whole sentence with project and client, in one line. */
  readonly line: string;
  /** The sentence without project and client. */
  readonly headline: Headline;
  /** `Northwind Traders · Website relaunch`; '' if the record has neither. */
  readonly place: string;
  readonly urgency: Urgency;
  /** Further facts, as far as the record has them. */
  readonly facts: readonly RecordFact[];
  /** `Due`: `Wed 18 Nov → Fri 20 Nov` */
  readonly changes: readonly ChangeFact[];
  /** Changes beyond those listed. */
  readonly moreChanges: number;
  /** The people who should act on the event. */
  readonly people: readonly ChatPerson[];
  /** Who made the change. @default - unknown */
  readonly author?: string;
  /** `14 Nov 2026, 09:31 UTC` */
  readonly time: string;
  readonly link: string | undefined;
  /** `task` */
  readonly resource: string;
}

const MAX_LINE_LENGTH = 300;
const MAX_PART_LENGTH = 200;

export function buildNeutralMessage(event: TidingsEvent, options: MessageOptions = {}): NeutralMessage {
  const { timeZone = 'UTC', at = event.time, others } = options;
  const { client, project } = event.data.record;
  const { changes, more } = findChanges(event, { timeZone, at });
  return {
    line: lineOf(event, others, timeZone),
    headline: headlineOf(event, others, timeZone),
    place: [client, project]
      .flatMap((name) => (typeof name === 'string' && name !== '' ? [clip(name, 160)] : []))
      .join(' · '),
    urgency: urgencyOf(event),
    facts: findFacts(event, { timeZone, at }),
    changes,
    moreChanges: more,
    people: findPeopleConcerned(event, options.people),
    author: authorOf(event),
    time: formatZonedTime(event.time, timeZone),
    link: httpLink(options.link),
    resource: event.subject.slice(0, event.subject.indexOf('/')),
  };
}

/**
 * The event as one line of bounded length, with the other events of its change as far as they fit.
 * @param timeZone of the reader. @default - that of the source, see sayEvent
 */
export function lineOf(
  event: TidingsEvent,
  others: readonly TidingsEvent[] = [],
  timeZone?: string,
  maxLength = MAX_LINE_LENGTH,
): string {
  const sentence = fitSentence(event, maxLength, timeZone) || event.type;
  return sentence + additionsTo(event, others, maxLength - sentence.length);
}

/** ` · payment of 500.00 received`. Phrases that do not fit are left out, so that the sentence before them stays whole. */
function additionsTo(lead: TidingsEvent, others: readonly TidingsEvent[], maxLength: number): string {
  let text = '';
  for (const event of eventsToAdd(lead, others)) {
    const short = fitEvent(event, (one) => phraseOf(one).length <= MAX_PART_LENGTH) ?? event;
    const phrase = ` · ${clip(phraseOf(short), MAX_PART_LENGTH)}`;
    if (text.length + phrase.length <= maxLength) text += phrase;
  }
  return text;
}

/** The event without the name of its record: `closed`, `now due Fri 20 Nov`. */
function phraseOf(event: TidingsEvent): string {
  const eventType = eventTypeOf(event.type);
  if (eventType?.add !== undefined) return eventType.add(event.data);
  const { meaning } = event.data.details ?? {};
  if (eventType === undefined && typeof meaning === 'string') return lowerFirst(meaning.replace(/[:\s]+$/, ''));
  const { before, title, after } = splitSentence(event);
  return (title === '' ? before : after.trim()).replace(/^(?:is|was|has been|has) /, '');
}

export function urgencyOf({ type }: Pick<TidingsEvent, 'type'>): Urgency {
  return eventTypeOf(type)?.urgency ?? 'plain';
}

/** The sentence without project and client, split at the name of the record, with the other events of its change. */
export function headlineOf(event: TidingsEvent, others: readonly TidingsEvent[] = [], timeZone?: string): Headline {
  const headline = splitSentence(event, timeZone);
  const { before, title, after } = headline;
  if (title === '')
    return { ...headline, before: before + additionsTo(event, others, MAX_LINE_LENGTH - before.length) };
  return { ...headline, after: after + additionsTo(event, others, MAX_PART_LENGTH - after.length) };
}

function splitSentence(whole: TidingsEvent, timeZone?: string): Headline {
  const { project: _, client: __, ...rest } = whole.data.record;
  const placeless = { ...whole, data: { ...whole.data, record: rest } };
  const say = (one: TidingsEvent) => sayEvent(one, timeZone);
  // The name of the record is clipped on its own.
  const event = fitEvent(placeless, (one) => lengthBeside(one, say(one)) <= MAX_PART_LENGTH) ?? placeless;
  const { record } = event.data;
  const sentence = say(event);
  const resource = event.subject.slice(0, event.subject.indexOf('/'));
  const named = nameOf(resource, record);
  const name = typeof record.name === 'string' ? record.name : '';
  const title = [
    ...(named.includes('“')
      ? [{ text: named.slice(named.indexOf('“')), quotes: ['“', '”'] as const }]
      : [named, lowerFirst(named)].map((text) => ({ text, quotes: ['', ''] as const }))),
    { text: `\`${name}\``, quotes: ['`', '`'] as const },
    ...(resource === 'source' && name !== '' ? [{ text: name, quotes: ['', ''] as const }] : []),
  ].find(({ text }) => sentence.includes(text));
  if (title === undefined) {
    const text = clip(sentence, MAX_LINE_LENGTH) || clip(event.type, MAX_PART_LENGTH) || 'event';
    return { before: text, title: '', quotes: ['', ''], after: '' };
  }
  const { text, quotes } = title;
  const [open, close] = quotes;
  const start = sentence.indexOf(text);
  const after = clip(sentence.slice(start + text.length), MAX_PART_LENGTH);
  const before = clip(sentence.slice(0, start), MAX_PART_LENGTH);
  return {
    before: before === '' ? '' : `${before} `,
    title: clip(text.slice(open.length, text.length - close.length), MAX_PART_LENGTH) || 'untitled',
    quotes,
    // Restores the space that clip removed.
    after: after === '' || /^[,:;.]/.test(after) ? after : ` ${after}`,
  };
}

/** The length of a sentence without the name of the record. */
function lengthBeside({ subject, data: { record } }: TidingsEvent, sentence: string): number {
  const named = nameOf(subject.slice(0, subject.indexOf('/')), record);
  return sentence.replace(named.slice(named.indexOf('“')), '').length;
}

export function headlineText({ before, title, quotes: [open, close], after }: Headline): string {
  return title === '' ? before : `${before}${open}${title}${close}${after}`;
}

function authorOf({ data: { by } }: TidingsEvent): string | undefined {
  return by === undefined ? undefined : clip(by.name ?? `person ${by.id}`, 80) || undefined;
}
