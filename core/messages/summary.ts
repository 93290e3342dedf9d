/**
 * The channel-neutral message about several events: one line per change, grouped by project, oldest first, with
 * counts. Plain text of bounded length, as in neutral-message.ts.
 */

import { eventTypeOf } from '../events/catalogue.ts';
import type { Urgency } from '../events/event-type.ts';
import { countOf, nounFor, upperFirst } from '../events/phrases.ts';
import type { TidingsEvent } from '../model/event.ts';
import { groupByChange } from './change-events.ts';
import { clip } from './clip.ts';
import { httpLink, type Links, linkTo } from './link.ts';
import { type Headline, headlineOf, lineOf, urgencyOf } from './neutral-message.ts';

export interface SummaryLine {
  /** The whole sentence with project and client, in one line. */
  readonly line: string;
  /** The sentence without project and client, which the group shows. */
  readonly headline: Headline;
  readonly urgency: Urgency;
  /** The type of the event that the line leads with. */
  readonly type: string;
  /** `task/412` */
  readonly subject: string;
  readonly link: string | undefined;
}

export interface SummaryGroup {
  /** The project; without one, the client or the resource. */
  readonly title: string;
  /** The number of lines, including those that are not listed. */
  readonly count: number;
  readonly lines: readonly SummaryLine[];
}

export interface Summary {
  /** `12 tasks overdue, payments received on 3 invoices` */
  readonly title: string;
  /** The highest urgency of all lines. */
  readonly urgency: Urgency;
  /** The number of changes. */
  readonly count: number;
  readonly groups: readonly SummaryGroup[];
  /** The number of changes that are counted but not listed. */
  readonly unlisted: number;
}

export interface SummaryOptions {
  readonly links?: Links;
  /** The maximum number of lines, which stays below Slack's limit of 50 blocks. @default 30 */
  readonly maxLines?: number;
}

const MAX_LINES = 30;
const MAX_TITLE_LENGTH = 150;
/** Highest urgency first. */
const URGENCIES: readonly Urgency[] = ['late', 'soon', 'good', 'plain'];

export function summarise(
  events: readonly TidingsEvent[],
  { links = {}, maxLines = MAX_LINES }: SummaryOptions = {},
): Summary {
  const sorted = groupByChange(events).toSorted(([a], [b]) => compareText(sinceWhen(a), sinceWhen(b)));
  const grouped = [...Map.groupBy(sorted, ([lead]) => groupOf(lead))].toSorted(([a], [b]) => compareText(a, b));
  let linesLeft = maxLines;
  const groups = grouped.map(([title, members]): SummaryGroup => {
    const listed = members.slice(0, Math.max(0, linesLeft));
    linesLeft -= listed.length;
    return {
      title: clip(title, MAX_TITLE_LENGTH),
      count: members.length,
      lines: listed.map((change) => toLine(change, links)),
    };
  });
  const leads = sorted.map(([lead]) => lead);
  const urgencies = leads.map(urgencyOf);
  return {
    title: clip(upperFirst(titleOf(leads)), MAX_TITLE_LENGTH),
    urgency: URGENCIES.find((urgency) => urgencies.includes(urgency)) ?? 'plain',
    count: sorted.length,
    groups: groups.filter(({ lines }) => lines.length > 0),
    unlisted: sorted.length - groups.reduce((sum, { lines }) => sum + lines.length, 0),
  };
}

function toLine([lead, ...others]: readonly [TidingsEvent, ...TidingsEvent[]], links: Links): SummaryLine {
  const { type, subject } = lead;
  return {
    line: lineOf(lead, others),
    headline: headlineOf(lead, others),
    urgency: urgencyOf(lead),
    type,
    subject,
    link: httpLink(linkTo(links, lead)),
  };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** The sort key: the due date if it has passed, otherwise the time of the event. */
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
