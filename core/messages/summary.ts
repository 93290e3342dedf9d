/**
 * Many events as one message: what is worth a line, grouped by project, oldest first, with counts. Plain text of bounded
 * length, as in message.ts; knows the look of no channel.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import { countOf, nounFor, upperFirst } from '../events/phrases.ts';
import type { TidingsEvent } from '../model/event.ts';
import { clip } from './clip.ts';
import { httpLink, type Links, linkTo } from './link.ts';
import { type Headline, headlineOf, lineOf, urgencyOf } from './neutral-message.ts';

export interface SummaryLine {
  /** What happened and where, in one line. */
  readonly line: string;
  /** What happened: the group names the place. */
  readonly headline: Headline;
  readonly urgency: Urgency;
  readonly type: string;
  /** `task/412` */
  readonly subject: string;
  readonly link: string | undefined;
}

export interface SummaryGroup {
  /** The project, or what else the records have in common. */
  readonly title: string;
  /** How many there are, listed or not. */
  readonly count: number;
  readonly lines: readonly SummaryLine[];
}

export interface Summary {
  /** `12 tasks overdue, payments received on 3 invoices` */
  readonly title: string;
  /** The most pressing of all. */
  readonly urgency: Urgency;
  /** Records with something to tell. */
  readonly count: number;
  readonly groups: readonly SummaryGroup[];
  /** How many records are counted above but not listed. */
  readonly unlisted: number;
}

export interface SummaryOptions {
  readonly links?: Links;
  /** Lines in all. Slack's 50 blocks and a person's patience end about there. @default 30 */
  readonly most?: number;
}

const MAX_LINES = 30;
const TITLE = 150;
const PRESSING: readonly Urgency[] = ['late', 'soon', 'good', 'plain'];

/** Of several events of one transition the first one says it all; the rest would only repeat it. */
export function onePerTransition<Event extends Pick<TidingsEvent, 'source' | 'subject' | 'data'>>(
  events: readonly Event[],
): readonly Event[] {
  const seen = new Set<string>();
  return events.filter(({ source, subject, data: { version } }) => {
    const transition = `${source} ${subject} ${version}`;
    if (seen.has(transition)) return false;
    seen.add(transition);
    return true;
  });
}

export function summarise(
  events: readonly TidingsEvent[],
  { links = {}, most = MAX_LINES }: SummaryOptions = {},
): Summary {
  const sorted = onePerTransition(events).toSorted((a, b) => compareText(sinceWhen(a), sinceWhen(b)));
  const grouped = [...Map.groupBy(sorted, groupOf)].toSorted(([a], [b]) => compareText(a, b));
  let left = most;
  const groups = grouped.map(([title, members]): SummaryGroup => {
    const listed = members.slice(0, Math.max(0, left));
    left -= listed.length;
    return { title: clip(title, TITLE), count: members.length, lines: listed.map((event) => toLine(event, links)) };
  });
  const urgencies = sorted.map(urgencyOf);
  return {
    title: clip(upperFirst(titleOf(sorted)), TITLE),
    urgency: PRESSING.find((urgency) => urgencies.includes(urgency)) ?? 'plain',
    count: sorted.length,
    groups: groups.filter(({ lines }) => lines.length > 0),
    unlisted: sorted.length - groups.reduce((sum, { lines }) => sum + lines.length, 0),
  };
}

function toLine(event: TidingsEvent, links: Links): SummaryLine {
  const { type, subject } = event;
  return {
    line: lineOf(event),
    headline: headlineOf(event),
    urgency: urgencyOf(event),
    type,
    subject,
    link: httpLink(linkTo(links, event)),
  };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** What is late is as old as its due date; all else as old as the event. */
function sinceWhen({ time, data: { record } }: TidingsEvent): string {
  return typeof record.datedue === 'string' && record.datedue < time ? record.datedue : time;
}

function groupOf({ subject, data: { record } }: TidingsEvent): string {
  for (const field of ['project', 'client']) {
    const value = record[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  const resource = subject.slice(0, subject.indexOf('/'));
  return resource === 'project' && typeof record.name === 'string' ? record.name : upperFirst(nounFor(resource, 2));
}

/** `12 tasks overdue, 3 invoices paid`, most frequent first. */
function titleOf(events: readonly TidingsEvent[]): string {
  const counts = [...Map.groupBy(events, ({ type }) => type)].map(([type, { length }]) => ({ type, length }));
  return counts
    .toSorted((a, b) => b.length - a.length || compareText(a.type, b.type))
    .map(({ type, length }) => eventTypeOf(type)?.sayMany?.(length) ?? sayCount(type, length))
    .join(', ');
}

/** `12 tasks overdue`, `due date changed on 2 tasks` */
function sayCount(type: string, count: number): string {
  const [resource = '', name = ''] = type.split('.');
  const what = name.replaceAll('_', ' ');
  return what.endsWith(' changed') ? `${what} on ${countOf(count, resource)}` : `${countOf(count, resource)} ${what}`;
}
