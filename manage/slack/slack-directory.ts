/**
 * Who people are and what channels are, as Slack says. Answers are kept for half a minute: Slack allows the whole app 50 questions about
 * channels a minute. It decides nothing.
 */

import type { SlackApi, SlackResult } from '../../adapters/channels/slack/slack-api.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import { memoize } from '../../core/model/memoize.ts';
import { between, type Clock, type Instant, SECOND } from '../../core/model/time.ts';

export interface SlackDirectory {
  /** The answer of `users.info`. */
  person(user: string): Promise<SlackResult>;
  /** The answer of `conversations.info`. */
  conversation(channel: string): Promise<SlackResult>;
}

/** So long people keep what they may do after Slack has taken it from them, see docs/slack.md. */
const KEPT_FOR = 30 * SECOND;

/** With more, all are asked about again. An answer has a few kilobytes. */
const MAX_KEPT = 500;

type Body = Readonly<Record<string, unknown>>;

/** @param mayKeep whether to keep an answer. Errors are not kept. */
function keep(
  ask: (id: string) => Promise<SlackResult>,
  mayKeep: (body: Body) => boolean,
  clock: Clock,
): (id: string) => Promise<SlackResult> {
  const kept = new Map<string, { readonly at: Instant; readonly answer: SlackResult }>();
  return async (id) => {
    const at = clock.now();
    const known = kept.get(id);
    // A later instant means that the clock was put back.
    if (known !== undefined && known.at <= at && between(known.at, at) < KEPT_FOR) return known.answer;
    const answer = await ask(id);
    if (!answer.ok || !mayKeep(answer.body)) return answer;
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(id, { at, answer });
    return answer;
  };
}

/** Slack as it answers now. */
export function openDirectory(slack: SlackApi): SlackDirectory {
  return {
    person: (user) => slack.call('users.info', { user }),
    conversation: (channel) => slack.call('conversations.info', { channel }),
  };
}

export function keepBriefly({ person, conversation }: SlackDirectory, clock: Clock): SlackDirectory {
  return {
    person: keep(person, ({ user }) => jsonTextOf(jsonObjectOf(user).id) !== '', clock),
    // Where the bot was missing, the person who has invited it tries again at once.
    conversation: keep(conversation, ({ channel }) => jsonObjectOf(channel).is_member === true, clock),
  };
}

/** For one request: it is decided on one answer about each person and channel, also on one that is not kept. */
export function askOnce({ person, conversation }: SlackDirectory): SlackDirectory {
  return { person: memoize(person), conversation: memoize(conversation) };
}
