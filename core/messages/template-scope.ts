/** What a template may name: one event with shortcuts into it, and all events of a message together. */

import type { TidingsEvent } from '../model/event.ts';
import type { OutboundMessage } from '../ports/channel.ts';
import { type Links, linkTo } from './link.ts';
import { buildNeutralMessage } from './neutral-message.ts';
import { summarise } from './summary.ts';

/** Each name a template may use; with those below it where they are ours to say. Records and details vary. */
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

/** Names that speak of all events at once: a text with neither is about one event. */
export const MESSAGE_NAMES = ['events', 'summary'] as const;

type Asked = Pick<OutboundMessage, 'timeZone'> & { readonly links: Links };

/** The event as such, and the shortcuts. */
export function eventScope(event: TidingsEvent, { timeZone, links }: Asked): object {
  const { record, previous, changes, details, by } = event.data;
  const link = linkTo(links, event);
  const message = buildNeutralMessage(event, { timeZone, ...(link === undefined ? {} : { link }) });
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

/** The first event's names, and beside them all events and their summary. */
export function messageScope(events: OutboundMessage['events'], asked: Asked): object {
  const scopes = events.map((event) => eventScope(event, asked));
  return { ...scopes[0], events: scopes, summary: summarise(events, { links: asked.links }) };
}
