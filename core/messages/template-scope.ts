/** The variables of a template: one event with shortcuts to its members, and all events of a message. */

import type { TidingsEvent } from '../model/event.ts';
import type { OutboundMessage } from '../ports/channel.ts';
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

/** The event and the shortcuts to its members. */
export function eventScope(event: TidingsEvent, { timeZone, links }: ScopeOptions): object {
  const { record, previous, changes, details, by } = event.data;
  const message = buildNeutralMessage(event, { timeZone, link: linkTo(links, event) });
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

/** The variables of the first event, with all events and their summary. */
export function messageScope(events: OutboundMessage['events'], options: ScopeOptions): object {
  const scopes = events.map((event) => eventScope(event, options));
  return { ...scopes[0], events: scopes, summary: summarise(events, { links: options.links }) };
}
