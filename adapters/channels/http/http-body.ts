/**
 * The body of an HTTP request, in the format of its subscription. Pure and deterministic: it is signed, and every attempt
 * must send the same body.
 */

import { httpLink, type Links, linkTo } from '../../../core/messages/link.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import { toJson } from '../../../core/model/event-json.ts';
import type { OutboundMessage } from '../../../core/ports/channel.ts';
import type { HttpFormat } from './settings.ts';

/** HTTP gets one event per request. */
export function httpBody(
  { events: [event], mark }: Pick<OutboundMessage, 'events' | 'mark'>,
  format: HttpFormat = 'cloudevents',
  links: Links = {},
): string {
  // The common case: the stored JSON is the body.
  if (format === 'cloudevents' && mark === undefined && Object.keys(event).at(-1) === 'data') return toJson(event);
  const marks = mark === undefined ? {} : { [mark]: true };
  return JSON.stringify(SHAPES[format](event, marks, links));
}

type Shape = (event: TidingsEvent, marks: Readonly<Record<string, boolean>>, links: Links) => object;

const SHAPES: Readonly<Record<HttpFormat, Shape>> = {
  cloudevents: ({ data, ...envelope }, marks) => ({ ...envelope, ...marks, data }),

  // Also a CloudEvent, so that receivers need one parser; without dataschema, which describes other data.
  thin: (event, marks, links) => {
    const { dataschema: _, data, ...envelope } = event;
    const link = httpLink(linkTo(links, event));
    const id = event.subject.slice(event.subject.indexOf('/') + 1);
    return { ...envelope, ...marks, data: { version: data.version, id, link } };
  },

  standard: ({ type, time, test, data }, marks) => ({
    type,
    timestamp: time,
    test,
    ...marks,
    data,
  }),
};
