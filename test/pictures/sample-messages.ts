/** Messages of an ordinary week, for pictures and for tests of mails. */

import { createHash } from 'node:crypto';
import { eventTypeOf } from '../../core/events/catalogue.ts';
import { exampleEvent } from '../../core/events/examples.ts';
import type { Links } from '../../core/messages/link.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';
import { subscription } from '../samples.ts';

export const LINKS: Links = {
  task: 'https://work.example.com/tasks/view/{localid}',
  invoice: 'https://work.example.com/invoices/view/{localid}',
};

/** The catalogue's own example of the type, with another record. */
export function example(type: string, record: Fields = {}): TidingsEvent {
  const eventType = eventTypeOf(type);
  const event = eventType === undefined ? undefined : exampleEvent(eventType);
  if (event === undefined) throw new Error(`no example of ${type}`);
  const resource = type.slice(0, type.indexOf('.'));
  const whole = { ...event.data.record, ...record };
  return {
    ...event,
    id: `${event.id.slice(0, -4)}${String(whole.id).padStart(4, '0')}`,
    subject: `${resource}/${String(whole.id)}`,
    data: { ...event.data, record: whole },
  };
}

export function sampleMessage(
  events: OutboundMessage['events'],
  change: Partial<OutboundMessage> = {},
): OutboundMessage {
  return {
    subscription: peopleSubscription('team'),
    events,
    delivery: `dlv_${createHash('sha256').update(events[0].id).digest('hex').slice(0, 32)}`,
    at: '2026-11-21T07:30:00.000Z',
    timeZone: 'Europe/Berlin',
    ...change,
  };
}

export function peopleSubscription(name: string, change: Partial<Subscription> = {}): Subscription {
  return subscription(name, { to: { channel: 'email', settings: { to: ['ann@example.com'] } }, ...change });
}

const summary = `<h3>Before it goes out</h3>
<p>Please check <strong>names &amp; dates</strong> against <a href="https://files.example.com/list?a=1&b=2" onclick="steal()">the list</a>, and</p>
<ul><li>the <em>prices</em> on page 2</li><li>the link in the footer: <code>/de/kontakt</code></li></ul>
<script>alert('no')</script><img src="https://tracker.example.com/pixel.gif">
<blockquote>“Northwind” has no space in it. – Ben</blockquote>`;

export const overdue = sampleMessage([example('task.overdue', { summary })]);

export const invoicePaid = sampleMessage([example('invoice.paid')], { subscription: peopleSubscription('finance') });

const titles = [
  'Proofread the newsletter',
  'Redirects for the old shop',
  'Photographs for the landing page',
  'Legal notice',
];
const late = titles.map((title, index) =>
  example('task.overdue', {
    id: String(420 + index),
    localid: String(30 + index),
    title,
    datedue: `2026-11-${17 + index}`,
  }),
);
const elsewhere = { project: 'Autumn catalogue', client: 'Adventure Works' };
const soon = ['Send proofs to the printer', 'Collect feedback on the cover'].map((title, index) =>
  example('task.due_soon', {
    id: String(440 + index),
    localid: String(50 + index),
    title,
    datedue: '2026-11-22',
    ...elsewhere,
  }),
);

export const digest = sampleMessage([late[0] ?? example('task.overdue'), ...late.slice(1), ...soon], {
  subscription: peopleSubscription('morning', { digest: { at: '08:30' } }),
});

const moved = Array.from({ length: 500 }, (_, index) =>
  example('task.due_date_changed', {
    id: String(1000 + index),
    localid: String(100 + index),
    title: `Page ${index + 1} of 500`,
  }),
);

export const storm = sampleMessage([moved[0] ?? example('task.due_date_changed'), ...moved.slice(1)]);
