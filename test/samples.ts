/** Small valid values for tests. */

import { type Delivery, openDelivery } from '../core/model/delivery.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Snapshot } from '../core/model/snapshot.ts';
import type { Subscription } from '../core/model/subscription.ts';

export const NOON = '2026-11-14T12:00:00.000Z';

/** A secret for tests: the prefix and 32 bytes in base64. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export function snapshot(id: string, change: Partial<Snapshot> = {}): Snapshot {
  return {
    key: { source: 'main', resource: 'task', id },
    version: 1,
    record: { id, title: `Task ${id}`, status: 'Open', dateclosed: null },
    stage: { closed: false },
    deletedAt: null,
    committedAt: NOON,
    cause: 'poll',
    occurred: { after: null, before: NOON },
    nextMoment: null,
    ...change,
  };
}

export function event(id: string, change: Partial<TidingsEvent> = {}): TidingsEvent {
  return {
    specversion: '1.0',
    id: `evt_${id}`,
    type: 'task.closed',
    source: '/sources/main',
    subject: `task/${id}`,
    time: NOON,
    datacontenttype: 'application/json',
    data: {
      version: 2,
      record: { id, title: `Task ${id}` },
      previous: {},
      changes: [],
      occurred: { after: null, before: NOON },
      cause: 'poll',
    },
    ...change,
  };
}

export function delivery(eventId: string, subscription: string, change: Partial<Delivery> = {}): Delivery {
  return { ...openDelivery(event(eventId), subscription, NOON), ...change };
}

export function subscription(name: string, change: Partial<Subscription> = {}): Subscription {
  return {
    name,
    events: ['task.*'],
    to: { channel: 'http', settings: { url: 'https://ops.example.com/hook', secret: SECRET } },
    declared: true,
    ...change,
  };
}
