/** The catalogue of what can happen to a subscription: its receiver fails, is given up for now, and comes back. */

import type { Fields } from '../model/record.ts';
import type { EventType } from './event-type.ts';

const named = ({ name }: Fields) => `Subscription ${typeof name === 'string' ? name : '?'}`;
const because = ({ reason }: Fields) => (typeof reason === 'string' ? `: ${reason}` : '');
const day = (value: unknown) => (typeof value === 'string' ? value.slice(0, 10) : 'some day');

export const subscriptionEvents: readonly EventType[] = [
  {
    type: 'subscription.failing',
    meaning: 'A receiver does not take what it is sent; what is for it is kept and tried again.',
    when: 'Fires after the 4th failed attempt at one delivery, or the first that cannot be mended by trying again; and once more after four days of nothing but failures, a day before the subscription is disabled: then `data.record.warnedAt` is set. Never sent to the subscription it is about.',
    urgency: 'late',
    fires: ({ before, after }) =>
      after.record.state === 'failing' &&
      (before?.record.state !== 'failing' ||
        ((before.record.warnedAt ?? null) === null && after.record.warnedAt !== null)),
    holds: ({ record }) => record.state === 'failing',
    say: ({ record }) =>
      typeof record.warnedAt === 'string'
        ? `${named(record)} has been failing since ${day(record.failingSince)} and will be disabled tomorrow${because(record)}`
        : `${named(record)} is failing${because(record)}`,
    example: {
      before: { failingSince: '2026-11-13T08:00:00.000Z', reason: 'ops.example.com answered 503' },
      after: { state: 'failing', failingSince: '2026-11-13T08:00:00.000Z', reason: 'ops.example.com answered 503' },
    },
  },
  {
    type: 'subscription.disabled',
    meaning: 'Nothing is sent to a receiver any longer but a try now and then; what is for it is kept.',
    when: 'Fires after five days of nothing but failures, or when the receiver says that it is gone (410). Never sent to the subscription it is about.',
    urgency: 'late',
    fires: ({ before, after }) => before?.record.state !== 'disabled' && after.record.state === 'disabled',
    holds: ({ record }) => record.state === 'disabled',
    say: ({ record }) => `${named(record)} is disabled${because(record)}; what is for it is kept`,
    example: {
      before: { state: 'failing', failingSince: '2026-11-08T08:00:00.000Z', warnedAt: '2026-11-12T09:00:00.000Z' },
      after: {
        state: 'disabled',
        failingSince: '2026-11-08T08:00:00.000Z',
        warnedAt: '2026-11-12T09:00:00.000Z',
        disabledAt: '2026-11-13T23:00:00.000Z',
        reason: 'ops.example.com answered 503',
        probe: 'dlv_8533f25cbc8a0a2aa9897d37edb6b62b',
      },
    },
  },
  {
    type: 'subscription.recovered',
    meaning: 'A receiver that was failing or disabled takes what it is sent again.',
    when: 'Fires with the first success. What was waiting for its next attempt is tried at once; what was held while it was disabled waits for `tidings subscriptions resume`.',
    urgency: 'good',
    fires: ({ before, after }) =>
      after.cause === 'delivery' &&
      (before?.record.state === 'failing' || before?.record.state === 'disabled') &&
      after.record.state === 'ok',
    say: ({ record }) => `${named(record)} works again`,
    example: { before: { state: 'failing', failingSince: '2026-11-13T08:00:00.000Z' }, after: {} },
  },
];
