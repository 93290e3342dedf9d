/**
 * The rules of the app: who may have which work done. One check with this table stands before all work, so that a verb
 * without a rule does not compile.
 */

import { isDirectMessage, readMembership, type Standing } from './authority.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

interface SlackRule {
  /** People who are not named are refused. */
  readonly may: readonly Standing[] | 'all';
  /** Who may also do it in their own direct message, where it concerns only themselves. @default - no one */
  readonly mayDirectly?: readonly Standing[];
  /** It makes a subscription, so it is decided on what Slack answers now, not on what is kept of an answer. @default false */
  readonly isLasting?: true;
  /** It changes subscriptions of a channel, so it does not run while another such change of the channel does. @default false */
  readonly isChange?: true;
  /** What one reads who may not do it. Who is deactivated reads that instead. */
  readonly refuse: (standing: Standing) => string;
}

const DEACTIVATED = 'Your account in this workspace is deactivated.';

/** An answer, or the end of what is one's own: it shows and changes nothing of others. */
const FREE: SlackRule = { may: 'all', refuse: () => '' };

/** It shows what the channel gets anyway. */
const READING: SlackRule = {
  may: ['admin', 'member', 'guest', 'stranger'],
  refuse: () => DEACTIVATED,
};

/** It acts for the person alone, or asks the admins first where the person may not decide. */
const OWN: SlackRule = {
  may: ['admin', 'member', 'guest'],
  refuse: () => 'Only people of this workspace may do that. Ask a member of the organisation that runs Tidings.',
};

/** It tries what a whole channel gets. */
const TRYING: SlackRule = {
  may: ['admin', 'member'],
  mayDirectly: ['guest'],
  refuse: (standing) =>
    standing === 'guest'
      ? 'Guests may not change the subscriptions of a channel. Ask a member of this workspace, or an admin of Tidings.'
      : 'Only members of this workspace may change the subscriptions of a channel. Ask a member of the organisation that runs Tidings.',
};

const CHANGING: SlackRule = { ...TRYING, isChange: true };

const MAKING: SlackRule = { ...OWN, isLasting: true, isChange: true };

const DECIDING: SlackRule = {
  may: ['admin'],
  isLasting: true,
  isChange: true,
  refuse: () => 'Only admins of Tidings decide on requests.',
};

const SLACK_RULES = {
  say: FREE,
  cancel: FREE,
  disconnect: FREE,
  // Who is not a member gets a home that shows no record.
  home: FREE,
  list: READING,
  preview: READING,
  why: READING,
  subscribe: OWN,
  confirm: MAKING,
  connect: OWN,
  digest: MAKING,
  // Writes with the person's own token: the account decides.
  task: OWN,
  unsubscribe: CHANGING,
  pause: CHANGING,
  resume: CHANGING,
  test: TRYING,
  snooze: CHANGING,
  fewer: CHANGING,
  undo: CHANGING,
  decide: DECIDING,
} as const satisfies Readonly<Record<string, SlackRule>>;

export type SlackVerb = keyof typeof SLACK_RULES;

export function isLasting(verb: SlackVerb): boolean {
  const rule: SlackRule = SLACK_RULES[verb];
  return rule.isLasting === true;
}

export function isChange(verb: SlackVerb): boolean {
  const rule: SlackRule = SLACK_RULES[verb];
  return rule.isChange === true;
}

/** Whether one of this standing may have this done in this channel. */
export function mayDo(verb: SlackVerb, standing: Standing, channel: string): boolean {
  const { may, mayDirectly = [] } = SLACK_RULES[verb];
  if (may === 'all' || may.includes(standing)) return true;
  return isDirectMessage(channel) && mayDirectly.includes(standing);
}

/** What the person reads who may not do this; undefined if they may. */
export async function findRefusal(
  ports: SlackPorts,
  place: Omit<SlackPlace, 'responseUrl'>,
  verb: SlackVerb,
): Promise<string | undefined> {
  const { may, refuse } = SLACK_RULES[verb];
  if (may === 'all') return undefined;
  const { standing } = await readMembership(ports, place);
  if (mayDo(verb, standing, place.channel)) return undefined;
  return standing === 'deactivated' ? DEACTIVATED : refuse(standing);
}
