/** The event types of a subscription: its receiver fails, is disabled, and recovers. */

import { dayIn } from '../model/calendar.ts';
import { formatUnsentCount } from '../model/delivery.ts';
import type { EventData } from '../model/event.ts';
import { isJsonObject } from '../model/json.ts';
import type { Fields } from '../model/record.ts';
import { DISABLE_AFTER, MIN_WARNING } from '../model/subscription.ts';
import { type Instant, parseInstant, plus } from '../model/time.ts';
import type { EventType } from './event-type.ts';
import { formatDay } from './phrases.ts';

const named = ({ name }: Fields) => `Receiver \`${typeof name === 'string' ? name : '?'}\``;
const because = ({ reason }: Fields) => (typeof reason === 'string' ? `: ${reason}` : '');

/** The day of an instant for the reader. */
function dayOfInstant(instant: Instant, { occurred }: EventData, timeZone: string): string {
  const day = dayIn(timeZone, instant);
  return formatDay(day, occurred?.before ?? day);
}

/** ` has been failing since Tue 10 Nov and will be disabled on Sun 15 Nov` */
function warning(data: EventData, timeZone: string): string {
  const [since, warnedAt] = [data.record.failingSince, data.record.warnedAt].map((value) =>
    typeof value === 'string' ? parseInstant(value) : undefined,
  );
  if (since === undefined || warnedAt === undefined) return 'has been failing for days and will be disabled';
  const [disabledAt = since] = [plus(since, DISABLE_AFTER), plus(warnedAt, MIN_WARNING)].sort().reverse();
  const [first, last] = [since, disabledAt].map((instant) => dayOfInstant(instant, data, timeZone));
  return `has been failing since ${first} and will be disabled on ${last}`;
}

/** Whether people know that it fails. */
function isAnnounced({ announced }: Fields): boolean {
  return !isJsonObject(announced) || announced.state !== 'ok';
}

/** `12 unsent messages were` */
function unsent({ dropped }: Fields): string {
  if (dropped === 1) return '1 unsent message was';
  return `${typeof dropped === 'number' ? `${formatUnsentCount(dropped)} ` : ''}unsent messages were`;
}

export const subscriptionEvents: readonly EventType[] = [
  {
    type: 'subscription.failing',
    meaning: 'Deliveries to a receiver are failing; they are kept and retried.',
    when: 'Fires after at least four failed attempts and 25 minutes without a success, whichever deliveries they concern, or at the first failure that a retry cannot fix. Fires a second time after four days of failures only, one day before the subscription is disabled; `data.record.warnedAt` is set then. Fires up to three times within an hour, and then only after a recovery; for all subscriptions of one key of the API together, it and `subscription.disabled` fire about 100 times an hour. Never sent to the subscription it is about.',
    urgency: 'late',
    fires: ({ before, after }) =>
      after.record.state === 'failing' &&
      (before?.record.state === 'failing'
        ? (before.record.warnedAt ?? null) === null && after.record.warnedAt !== null
        : after.record.unannounced !== 'failing'),
    holds: ({ record }) => record.state === 'failing',
    say: (data, timeZone) => {
      const { record } = data;
      const what = typeof record.warnedAt === 'string' ? warning(data, timeZone) : 'is failing';
      return `${named(record)} ${what}${because(record)}`;
    },
    example: {
      before: { failingSince: '2026-11-13T08:00:00.000Z', reason: '503 from ops.example.com' },
      after: { state: 'failing', failingSince: '2026-11-13T08:00:00.000Z', reason: '503 from ops.example.com' },
    },
  },
  {
    type: 'subscription.disabled',
    meaning:
      'A subscription was disabled because its receiver keeps failing, or paused because its template is too slow; its deliveries are held.',
    when: 'Fires after five days of failures only, or when the receiver responds with 410 Gone. One delivery is attempted from time to time to detect recovery. Also fires when its template has taken too long again and again: `data.record.state` is `paused` then, and it stays so until it is resumed. Fires up to three times within an hour, and then only after a recovery; for all subscriptions of one key of the API together, it and `subscription.failing` fire about 100 times an hour. Never sent to the subscription it is about.',
    urgency: 'late',
    // A pause by a person is no news.
    fires: ({ before, after }) =>
      before?.record.state !== after.record.state &&
      after.record.unannounced !== after.record.state &&
      (after.record.state === 'disabled' || (after.record.state === 'paused' && after.cause === 'delivery')),
    holds: ({ record }, { data }) => record.state === data.record.state,
    say: ({ record }) =>
      `${named(record)} is ${record.state === 'paused' ? 'paused' : 'disabled'}${because(record)}; pending messages are kept`,
    example: {
      before: { state: 'failing', failingSince: '2026-11-08T08:00:00.000Z', warnedAt: '2026-11-12T09:00:00.000Z' },
      after: {
        state: 'disabled',
        failingSince: '2026-11-08T08:00:00.000Z',
        warnedAt: '2026-11-12T09:00:00.000Z',
        disabledAt: '2026-11-13T23:00:00.000Z',
        reason: '503 from ops.example.com',
        probe: 'dlv_8533f25cbc8a0a2aa9897d37edb6b62b',
      },
    },
  },
  {
    type: 'subscription.recovered',
    meaning: 'A receiver that was failing or disabled accepts deliveries again.',
    when: 'Fires at the first successful delivery. Deliveries that wait for the receiver are attempted within minutes; deliveries held while the subscription was disabled wait for `tidings subscriptions resume`. Fires up to three times within an hour; after that the subscription counts as failing until the hour is over.',
    urgency: 'good',
    fires: ({ before, after }) =>
      after.cause === 'delivery' &&
      (before?.record.state === 'failing' || before?.record.state === 'disabled') &&
      isAnnounced(before.record) &&
      after.record.state === 'ok',
    holds: ({ record }) => record.state === 'ok',
    say: ({ record }) => `${named(record)} is working again`,
    example: { before: { state: 'failing', failingSince: '2026-11-13T08:00:00.000Z' }, after: {} },
  },
  {
    type: 'subscription.removed',
    meaning: 'A subscription was removed from the config while deliveries were not sent yet; they are dropped.',
    when: 'Fires when a config without the subscription is applied and `renamedFrom` names it nowhere, or when it is removed otherwise, except by the key that made it. `data.record.dropped` is the number of deliveries; 10,000 means 10,000 or more. `tidings replay --subscription OLD --to NEW` sends their events to another subscription.',
    urgency: 'late',
    fires: ({ before, after }) =>
      (before?.record.removedAt ?? null) === null && typeof after.record.removedAt === 'string',
    say: ({ record }) => `${named(record)} was removed from the config; ${unsent(record)} dropped`,
    example: { before: {}, after: { removedAt: '2026-11-13T08:00:00.000Z', dropped: 12 } },
  },
];
