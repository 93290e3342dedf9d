/** Advice for operators on events about Tidings itself. Plain text of ours, with commands and options in backticks. */

import type { TidingsEvent } from '../model/event.ts';

interface AdviceContext {
  /** The name of the source or subscription. */
  readonly name: string;
  /** The receiver responded with 410 Gone. */
  readonly isGone: boolean;
  /** Its template was too slow. */
  readonly isPaused: boolean;
  /** The AWS stack that Tidings runs in. */
  readonly stack: string | undefined;
  /** ` --aws NAME`, for commands against that stack. */
  readonly option: string;
  /** Whether the message links to the page of the console. */
  readonly hasPage: boolean;
}

const ADVICE: Readonly<Record<string, (context: AdviceContext) => string>> = {
  'source.unreachable': ({ stack, option, hasPage }) =>
    `Nothing, if the API is down: Tidings retries every few minutes and then reports what changed in the meantime. Otherwise check \`baseUrl\` and the network: ${hasPage ? 'the linked page shows the error' : stack === undefined ? '`tidings check` tests both' : `\`tidings status${option}\` shows the error`}.`,
  'source.unauthorized': ({ stack }) =>
    `${stack === undefined ? 'Put a new token into the config and restart.' : 'Replace the secret that `token` in the config refers to: the next poll reads it.'} Until then nothing is polled, and no record counts as deleted.`,
  'source.forbidden': () =>
    'Give the user of the token a role that may read it, or remove the resource from the config. Other resources are not affected.',
  'source.stale': ({ option, hasPage }) =>
    `${hasPage ? 'The linked page' : `\`tidings status${option}\``} shows why scans do not complete. If the API is slow, poll less often (\`every\`).`,
  'source.quota_low': () => 'Nothing yet: polling slows down until midnight GMT. A longer `every` saves requests.',
  'source.quota_exhausted': () =>
    'Nothing is lost: changes are reported after the reset. If it happens often, use a longer `every` or a smaller `quota.reserve`.',
  'source.mass_disappearance': () =>
    'Check whether the records still exist. If they were deleted on purpose, wait: the deletions are reported after an hour. If not, check the role of the token.',
  'subscription.failing': ({ name, option, hasPage }) =>
    `Check the receiver. Its messages are kept and retried; ${hasPage ? 'the linked page' : `\`tidings deliveries --subscription ${name}${option}\``} shows its responses.`,
  'subscription.disabled': ({ name, isGone, isPaused, option, hasPage }) => {
    const resume = hasPage ? 'Resume on the linked page' : `\`tidings subscriptions resume ${name}${option}\``;
    if (isPaused) return `Simplify its template; then ${resume} sends the pending messages.`;
    return isGone
      ? `Fix the receiver, or configure another one. It is not retried automatically: ${resume} enables it and sends the pending messages.`
      : `Fix the receiver. It is retried from time to time and enabled on the first success; then ${resume} sends the pending messages.`;
  },
};

interface FindAdviceOptions {
  /** The AWS stack that Tidings runs in. @default - not in AWS */
  readonly stack?: string | undefined;
  /** The page of the console that the message links to. @default - commands are named */
  readonly link?: string | undefined;
}

/** Undefined if nothing needs to be done. */
export function findAdvice(
  { type, data: { record } }: TidingsEvent,
  { stack, link }: FindAdviceOptions = {},
): string | undefined {
  // The name is part of a command to copy, inside markup: an unsafe one is left for the reader to fill in.
  const name = typeof record.name === 'string' && /^[\w.-]{1,80}$/.test(record.name) ? record.name : 'NAME';
  const option = stack === undefined ? '' : ` --aws ${stack}`;
  return ADVICE[type]?.({
    name,
    isGone: record.gone === true,
    isPaused: record.state === 'paused',
    stack,
    option,
    hasPage: link !== undefined,
  });
}
