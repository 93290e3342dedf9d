/**
 * The Slack app: takes a request of either door, and returns the acknowledgement. Slack waits three seconds, so only answers
 * that need no reading are given at once; everything else is stored, queued and answered later.
 */

import { createHash } from 'node:crypto';
import { actionId } from '../../adapters/channels/slack/message-buttons.ts';
import { DAY, plus, SECOND } from '../../core/model/time.ts';
import { QueryError } from '../../core/subscriptions/query.ts';
import { code } from './blocks.ts';
import { compileWords } from './draft.ts';
import type { SlackVerb } from './run-work.ts';
import { COMMAND_HELP, readCommandText, type SlackCommand } from './slack-command.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackAction, SlackRequest } from './slack-request.ts';
import { openTask } from './slack-task.ts';

/** The body of the acknowledgement; empty: received. */
export type SlackAck = Readonly<Record<string, unknown>>;

/** Thrown while another process handles the same request: Slack shall send it again. */
export class SlackRequestInProgress extends Error {
  override readonly name = 'SlackRequestInProgress';
}

const RECEIVED: SlackAck = {};

/** A request takes less than this; then its process has died. */
const STALE_AFTER = 10 * SECOND;

/** Handles a request once: for a retry of Slack's it returns the same acknowledgement. */
export async function receiveSlackRequest(ports: SlackPorts, request: SlackRequest): Promise<SlackAck> {
  const { idempotency, clock } = ports;
  const startedAt = clock.now();
  const id = `slack ${createHash('sha256').update(request.id).digest('hex')}`;
  const times = { staleBefore: plus(startedAt, -STALE_AFTER), expiresAt: plus(startedAt, DAY) };
  const earlier = await idempotency.begin(id, { fingerprint: request.kind, startedAt }, times);
  if (earlier !== undefined) {
    if (earlier.response === null) throw new SlackRequestInProgress('this request is being handled');
    return JSON.parse(earlier.response) as SlackAck;
  }
  try {
    const ack = await handle(ports, request);
    await idempotency.finish(id, JSON.stringify(ack));
    return ack;
  } catch (error) {
    await idempotency.forget(id);
    throw error;
  }
}

function handle(ports: SlackPorts, request: SlackRequest): Promise<SlackAck> | SlackAck {
  switch (request.kind) {
    case 'command':
    case 'mention':
      return handleCommand(ports, request, readCommandText(request.text));
    case 'action':
      return handleAction(ports, request, request.action);
    default:
      return RECEIVED;
  }
}

type Words = Readonly<Record<string, string>>;

async function queueWork(
  ports: SlackPorts,
  request: SlackRequest,
  verb: SlackVerb,
  args: Words = {},
): Promise<SlackAck> {
  await openTask(ports, request, { verb, args });
  return RECEIVED;
}

async function handleCommand(ports: SlackPorts, request: SlackRequest, command: SlackCommand): Promise<SlackAck> {
  switch (command.verb) {
    case 'subscribe': {
      const problem = findQueryProblem(ports, command.query);
      if (problem !== undefined) return say(ports, request, problem);
      return queueWork(ports, request, 'subscribe', { query: command.query });
    }
    case 'unsubscribe':
      return queueWork(ports, request, 'unsubscribe', { name: command.name });
    case 'pause': {
      const until = command.duration === null ? '' : plus(ports.clock.now(), command.duration);
      return queueWork(ports, request, 'pause', { until });
    }
    case 'why':
      return queueWork(ports, request, 'why', { subject: command.subject });
    case 'list':
    case 'resume':
    case 'test':
    case 'preview':
      return queueWork(ports, request, command.verb);
    case 'wrong':
      return say(ports, request, command.message);
    default:
      return say(ports, request, helpText());
  }
}

/** An answer that needs no reading. A mention has no acknowledgement that people see. */
async function say(ports: SlackPorts, request: SlackRequest, text: string): Promise<SlackAck> {
  if (request.kind === 'command') return { response_type: 'ephemeral', text };
  return queueWork(ports, request, 'say', { text });
}

function helpText(): string {
  const rows = Object.values(COMMAND_HELP).map((row) => {
    const [usage = '', meaning = ''] = row.split(' – ');
    return `• ${code(`/tidings ${usage}`)} ${meaning}`;
  });
  return [
    'Tidings brings events of the work-management account to this channel.',
    ...rows,
    'In a thread, mention the app instead: `@Tidings subscribe task.overdue` subscribes that thread.',
  ].join('\n');
}

/** What is wrong with the words, in a form that can be shown. */
export function findQueryProblem(ports: SlackPorts, query: string): string | undefined {
  try {
    compileWords(ports, query);
    return undefined;
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    return error.problems.map(({ message }) => `• ${code(message)}`).join('\n');
  }
}

/** The part of an action id that names the action; undefined if it is not ours. */
const actionOf = ({ id }: SlackAction) => (id.startsWith(actionId('')) ? id.slice(actionId('').length) : undefined);

async function handleAction(ports: SlackPorts, request: SlackRequest, action: SlackAction): Promise<SlackAck> {
  const draft = action.value;
  switch (actionOf(action)) {
    case 'confirm':
    case 'request':
      return queueWork(ports, request, 'confirm', { draft });
    case 'cancel':
      return queueWork(ports, request, 'cancel', { draft });
    case 'allow':
    case 'deny':
      return queueWork(ports, request, 'decide', { draft, decision: actionOf(action) ?? '' });
    default:
      return RECEIVED;
  }
}
