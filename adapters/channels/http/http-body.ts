/**
 * What an HTTP receiver gets as the body, in the shape its subscription asks for. Pure, and always the same text for the
 * same parcel: it is signed, and a receiver may compare. Knows nothing of headers.
 */

import { httpLink, type Links, linkTo } from '../../../core/messages/link.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { toJson } from '../../../core/model/event-json.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import type { HttpFormat } from './settings.ts';

/** HTTP gets each event by itself: the first is the only one. */
export function httpBody(
  { events: [event], mark }: Pick<OutboundMessage, 'events' | 'mark'>,
  format: HttpFormat = 'cloudevents',
  links: Links = {},
): string {
  // As it is, which is as it was kept: most bodies are this, and need not be written anew.
  if (format === 'cloudevents' && mark === undefined && Object.keys(event).at(-1) === 'data') return toJson(event);
  const marks = mark === undefined ? {} : { [mark]: true };
  return JSON.stringify(SHAPES[format](event, marks, links));
}

type Shape = (event: TidingsEvent, marks: Readonly<Record<string, boolean>>, links: Links) => object;

const SHAPES: Readonly<Record<HttpFormat, Shape>> = {
  cloudevents: ({ data, ...envelope }, marks) => ({ ...envelope, ...marks, data }),

  // Still a CloudEvent, so that one parser does for both; no dataschema, for this data is not what it describes.
  thin: (event, marks, links) => {
    const { dataschema: _, data, ...envelope } = event;
    const link = httpLink(linkTo(links, event));
    const id = event.subject.slice(event.subject.indexOf('/') + 1);
    return { ...envelope, ...marks, data: { version: data.version, id, ...(link === undefined ? {} : { link }) } };
  },

  standard: ({ type, time, test, data }, marks) => ({
    type,
    timestamp: time,
    ...(test === undefined ? {} : { test }),
    ...marks,
    data,
  }),
};
