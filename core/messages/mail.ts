/**
 * What a mail says about the events of a parcel: subject, text and HTML that tell the same. One event is told with its
 * facts, many as a summary. Pure; knows no headers, no threads and no sending.
 */

import { amount, placeOf } from '../events/facts.ts';
import type { DeliveryMark } from '../model/delivery.ts';
import type { TidingsEvent } from '../model/event.ts';
import type { Parcel } from '../ports/channel.ts';
import { resourceOf } from '../resources/catalogue.ts';
import { type Links, linkTo } from './link.ts';
import { htmlOfEvent, htmlOfSummary, htmlOfWords } from './mail-html.ts';
import { safeHtml } from './mail-safe-html.ts';
import { textOfEvent, textOfSummary } from './mail-text.ts';
import { clip, type Message, messageOf } from './message.ts';
import { type Summary, summarise, worthALine } from './summary.ts';

export interface Mail {
  /** One line of at most 150 characters. */
  readonly subject: string;
  readonly text: string;
  /** A whole document. @default - the mail is plain text */
  readonly html?: string;
}

/** Words of a subscription's own, in place of ours. */
export interface MailWords {
  /** @default - ours */
  readonly subject?: string;
  /** @default - ours */
  readonly text?: string;
  /** A piece of a document, harmless already. @default - ours, or none when `text` is given */
  readonly html?: string;
}

export interface MailOptions {
  /** @default - ours */
  readonly words?: MailWords;
  /** Where this reader ends the subscription. Own words do not show it. @default - no such place */
  readonly unsubscribe?: string;
}

/** What stands at the end of every mail, and above it when it is not news. */
export interface Setting {
  readonly subscription: string;
  readonly mark: DeliveryMark | undefined;
  readonly unsubscribe: string | undefined;
}

/** One event, ready to be laid out. */
export interface EventStory {
  /** The line, without the place it is in. */
  readonly headline: string;
  /** The record's name where the headline has it, so that it can be a link. */
  readonly title: string | undefined;
  /** `Northwind Traders · Website relaunch` */
  readonly place: string;
  readonly message: Message;
  /** Facts that are not in the place already. */
  readonly facts: Message['facts'];
  readonly changes: Message['facts'];
  /** What people wrote about it, as safe HTML; '' when nobody did. */
  readonly description: string;
  /** Who did it and when it was seen. */
  readonly byline: string;
  /** What to search a log for. */
  readonly origin: string;
}

/** Longer ones are cut by every mailbox. */
const SUBJECT = 150;

const DIGEST_LINES = 40;
const HEAP_LINES = 12;

const MARKS: Readonly<Record<DeliveryMark, string>> = { replay: '[Replay] ', test: '[Test] ' };

export function mailMessage(parcel: Parcel, links: Links = {}, { words = {}, unsubscribe }: MailOptions = {}): Mail {
  const { subscription, events, mark, timeZone } = parcel;
  const setting: Setting = { subscription: clip(subscription.name, 64), mark, unsubscribe };
  const [only, ...others] = worthALine(events);
  const own =
    only !== undefined && others.length === 0
      ? mailOfEvent(storyOf(only, links, timeZone), setting)
      : mailOfSummary(events, links, setting, subscription.digest !== undefined);
  const subject = subjectOf(words.subject ?? own.subject, mark);
  const framed = words.html === undefined ? undefined : htmlOfWords(words.html, setting, subject);
  const html = framed ?? (words.text === undefined ? own.html : undefined);
  return {
    subject,
    text: words.text ?? own.text,
    ...(html === undefined ? {} : { html }),
  };
}

function subjectOf(subject: string, mark: DeliveryMark | undefined): string {
  return headerText(`${mark === undefined ? '' : MARKS[mark]}${subject}`, SUBJECT) || 'Tidings';
}

/** Text for a header. `=?UTF-8?Q?…?=` in it would be read as something else, line breaks included. */
export function headerText(text: string, length: number): string {
  return clip(text.replaceAll('=?', '= ?'), length);
}

function mailOfEvent(story: EventStory, setting: Setting): Required<Mail> {
  const subject = clip(story.message.line, SUBJECT);
  return { subject, text: textOfEvent(story, setting), html: htmlOfEvent(story, setting, subject) };
}

function mailOfSummary(
  events: readonly TidingsEvent[],
  links: Links,
  setting: Setting,
  isDigest: boolean,
): Required<Mail> {
  // A digest is read to the end, over coffee; of a sudden heap of changes the first few say what it is.
  const summary = summarise(events, { links, most: isDigest ? DIGEST_LINES : HEAP_LINES });
  const [group] = summary.groups;
  const place = group?.count === summary.count ? `: ${group.title}` : '';
  const title = withoutRepeats(summary.title);
  const subject = clip(isDigest ? `Tidings: ${title}` : `${title}${place}`, SUBJECT);
  const told: Summary = { ...summary, title, groups: summary.groups.map(withoutPlace) };
  return { subject, text: textOfSummary(told, setting), html: htmlOfSummary(told, setting, subject) };
}

/** `12 tasks overdue, 3 tasks due soon`: the second `tasks` says nothing new. */
function withoutRepeats(title: string): string {
  let known = '';
  const parts = title.split(', ').map((part) => {
    const [count, noun = '', ...rest] = part.split(' ');
    const isKnown = noun !== '' && noun === known;
    known = noun;
    return isKnown && rest.length > 0 ? [count, ...rest].join(' ') : part;
  });
  return parts.join(', ');
}

/** Under the heading of a project no line need name it again. */
function withoutPlace(group: Summary['groups'][number]): Summary['groups'][number] {
  const place = ` in ${group.title}`;
  const shorten = (line: string) => {
    const at = line.lastIndexOf(place);
    const rest = line.slice(at + place.length);
    return at > 0 && (rest === '' || rest.startsWith(' for ')) ? line.slice(0, at) : line;
  };
  return { ...group, lines: group.lines.map((one) => ({ ...one, line: shorten(one.line) })) };
}

/** The labels of facts that the place tells. */
const IN_PLACE = ['Project', 'Client'];

function storyOf(event: TidingsEvent, links: Links, timeZone: string): EventStory {
  const link = linkTo(links, event);
  const message = messageOf(event, { timeZone, ...(link === undefined ? {} : { link }) });
  const { record, by } = event.data;
  const place = clip(placeOf(record), 300);
  const isInLine = place !== '' && message.line.endsWith(` ${place}`);
  const headline = isInLine ? message.line.slice(0, -place.length - 1) : message.line;
  const title = clip(resourceOf(message.resource)?.title(record) ?? '', 300);
  const author = by === undefined ? '' : clip(by.name ?? `person ${by.id}`, 80);
  return {
    headline,
    title: title !== '' && headline.includes(`“${title}”`) ? title : undefined,
    place: IN_PLACE.toReversed()
      .flatMap((name) => message.facts.filter(({ label }) => label === name).map(({ value }) => value))
      .join(' · '),
    message,
    facts: message.facts.filter(({ label }) => !IN_PLACE.includes(label)),
    changes: message.changes.map(changeOf),
    description: descriptionOf(message.resource, event),
    byline: author === '' ? `Seen ${message.time}` : `By ${author}, seen ${message.time}`,
    origin: clip(`${event.type} · ${event.id}`, 200),
  };
}

/** Fields as people call them. Others keep the name they have. */
const FIELDS: Readonly<Record<string, string>> = {
  actual: 'Time spent',
  assignees: 'Assigned to',
  balance: 'Left to pay',
  dateclosed: 'Closed on',
  datedue: 'Due',
  dateend: 'End',
  dateopen: 'Start',
  datepaid: 'Paid on',
  datestart: 'Start',
  followers: 'Followed by',
  owners: 'Owned by',
  payments: 'Paid',
  severity: 'Priority',
};

const MONEY = ['amount', 'balance', 'fee', 'payments', 'subtotal', 'taxamount', 'total'];

/** `datedue: 2026-11-18 → 2026-11-20`, as a label and what became of it. */
function changeOf(change: string): Message['facts'][number] {
  const at = change.indexOf(': ');
  if (at === -1) return { label: '', value: change };
  const field = change.slice(0, at);
  const value = change.slice(at + 2);
  return {
    label: Object.hasOwn(FIELDS, field)
      ? (FIELDS[field] ?? field)
      : `${field.slice(0, 1).toUpperCase()}${field.slice(1)}`,
    value: MONEY.includes(field) ? value.replaceAll(/-?\d+(?:\.\d+)?/g, (number) => amount(Number(number))) : value,
  };
}

/** The first text of the record that people format. */
function descriptionOf(resource: string, { data: { record } }: TidingsEvent): string {
  const fields = Object.entries(resourceOf(resource)?.fields ?? {});
  for (const [field, { type }] of fields) {
    const value = record[field];
    if (type === 'html' && typeof value === 'string' && value !== '') return safeHtml(value);
  }
  return '';
}
