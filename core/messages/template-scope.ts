/** The variables of a template: one event with shortcuts to its members, and all events of a message. */

import type { TidingsEvent } from '../model/event.ts';
import type { OutboundMessage } from '../ports/channel.ts';
import { groupByChange } from './change-events.ts';
import { type Links, linkTo } from './link.ts';
import { buildNeutralMessage } from './neutral-message.ts';
import { summarise } from './summary.ts';

/** The variables of a template, with their members; undefined for arbitrary members, such as the fields of a record. */
export const TEMPLATE_NAMES = {
  event: ['specversion', 'id', 'type', 'source', 'subject', 'time', 'datacontenttype', 'dataschema', 'test', 'data'],
  type: undefined,
  record: undefined,
  previous: undefined,
  changes: undefined,
  details: undefined,
  link: undefined,
  line: undefined,
  time: undefined,
  by: ['id', 'name'],
  events: undefined,
  summary: ['title', 'urgency', 'count', 'groups', 'unlisted'],
} as const satisfies Readonly<Record<string, readonly string[] | undefined>>;

/** The variables about all events of a message: a text that uses neither is about a single event. */
export const MESSAGE_NAMES = ['events', 'summary'] as const;

type ScopeOptions = Pick<OutboundMessage, 'timeZone'> & { readonly links: Links };

/** The event and the shortcuts to its members. @param others of the same change, which its line adds */
export function eventScope(
  event: TidingsEvent,
  { timeZone, links }: ScopeOptions,
  others: readonly TidingsEvent[] = [],
): object {
  const { record, previous, changes, details, by } = event.data;
  const message = buildNeutralMessage(event, { timeZone, link: linkTo(links, event), others });
  return {
    event,
    type: event.type,
    record,
    previous,
    changes,
    details,
    by,
    link: message.link,
    line: message.line,
    time: message.time,
  };
}

/** The variables of the first change, with all changes and their summary. */
export function messageScope(events: OutboundMessage['events'], options: ScopeOptions): object {
  const scopes = groupByChange(events).map(([lead, ...others]) => eventScope(lead, options, others));
  return { ...scopes[0], events: scopes, summary: summarise(events, options) };
}
