/** What a person can do about an event that tells of Tidings itself, in Slack's markup. Words alone; decides nothing. */

import type { TidingsEvent } from '../model/event.ts';

const ADVICE: Readonly<Record<string, (name: string, isGone: boolean) => string>> = {
  'source.unreachable': () =>
    'Nothing, if the API is down: it is tried again every minute, and what changed meanwhile is told then. Otherwise look at `baseUrl` and at the network; `tidings check` tries both.',
  'source.unauthorized': () =>
    'Put a new token into the config and start again. Until then nothing is read, and nothing is taken for deleted.',
  'source.forbidden': () =>
    'Give the person of the token a role that may read it, or take the resource out of the config. The others are read as before.',
  'source.stale': () =>
    '`tidings status` tells what keeps it from being read to its end. If the API is slow, read it less often (`every`).',
  'source.quota_low': () => 'Nothing yet: it is read less often until midnight GMT. A longer `every` saves requests.',
  'source.quota_exhausted': () =>
    'Nothing is lost: what changed is told after the reset. If it happens often, lengthen `every`, or lower `quota.reserve`.',
  'source.mass_disappearance': () =>
    'Look whether they are still there. If they were deleted on purpose, wait: it is told after an hour. If not, look at the role of the token.',
  'subscription.failing': (name) =>
    `Look at the receiver. What is for it is kept and tried again; \`tidings deliveries --subscription ${name}\` tells what it answered.`,
  'subscription.disabled': (name, isGone) =>
    isGone
      ? `Mend the receiver, or name another. It is not tried by itself: \`tidings subscriptions resume ${name}\` goes on, and sends what was kept.`
      : `Mend the receiver. It is tried now and then, and goes on by itself; then \`tidings subscriptions resume ${name}\` sends what was kept.`,
};

/** Undefined where nothing is to be done. */
export function adviceFor({ type, data: { record } }: TidingsEvent): string | undefined {
  // It stands in a command to copy, and among marks: a name that could be more than a name is left to the reader.
  const name = typeof record.name === 'string' && /^[\w.-]{1,80}$/.test(record.name) ? record.name : 'NAME';
  return ADVICE[type]?.(name, record.gone === true);
}
