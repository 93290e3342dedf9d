/** What a person can do about an event that tells of Tidings itself, in Slack's markup. Words alone; decides nothing. */

import type { TidingsEvent } from '../../../core/model/event.ts';

/** What an advice depends on. */
interface Case {
  /** Of the source or subscription. */
  readonly name: string;
  readonly isGone: boolean;
  /** The stack in AWS, where Tidings runs there. */
  readonly stack: string | undefined;
  /** What commands have at their end there. */
  readonly place: string;
}

const ADVICE: Readonly<Record<string, (given: Case) => string>> = {
  'source.unreachable': ({ stack, place }) =>
    `Nothing, if the API is down: it is tried again every few minutes, and what changed meanwhile is told then. Otherwise look at \`baseUrl\` and at the network; ${stack === undefined ? '`tidings check` tries both' : `\`tidings status${place}\` tells the error`}.`,
  'source.unauthorized': ({ stack }) =>
    `${stack === undefined ? 'Put a new token into the config and start again.' : 'Put a new token where `token` of the config refers to: it is read with the next try.'} Until then nothing is read, and nothing is taken for deleted.`,
  'source.forbidden': () =>
    'Give the person of the token a role that may read it, or take the resource out of the config. The others are read as before.',
  'source.stale': ({ place }) =>
    `\`tidings status${place}\` tells what keeps it from being read to its end. If the API is slow, read it less often (\`every\`).`,
  'source.quota_low': () => 'Nothing yet: it is read less often until midnight GMT. A longer `every` saves requests.',
  'source.quota_exhausted': () =>
    'Nothing is lost: what changed is told after the reset. If it happens often, lengthen `every`, or lower `quota.reserve`.',
  'source.mass_disappearance': () =>
    'Look whether they are still there. If they were deleted on purpose, wait: it is told after an hour. If not, look at the role of the token.',
  'subscription.failing': ({ name, place }) =>
    `Look at the receiver. What is for it is kept and tried again; \`tidings deliveries --subscription ${name}${place}\` tells what it answered.`,
  'subscription.disabled': ({ name, isGone, place }) =>
    isGone
      ? `Mend the receiver, or name another. It is not tried by itself: \`tidings subscriptions resume ${name}${place}\` goes on, and sends what was kept.`
      : `Mend the receiver. It is tried now and then, and goes on by itself; then \`tidings subscriptions resume ${name}${place}\` sends what was kept.`,
};

/** Undefined where nothing is to be done. */
export function findAdvice({ type, data: { record } }: TidingsEvent, stack?: string): string | undefined {
  // It stands in a command to copy, and among marks: a name that could be more than a name is left to the reader.
  const name = typeof record.name === 'string' && /^[\w.-]{1,80}$/.test(record.name) ? record.name : 'NAME';
  const place = stack === undefined ? '' : ` --aws ${stack}`;
  return ADVICE[type]?.({ name, isGone: record.gone === true, stack, place });
}
