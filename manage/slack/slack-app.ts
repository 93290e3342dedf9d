/**
 * The Slack app: takes a request over HTTP or Socket Mode, and returns the acknowledgement. Slack waits three seconds, so only answers
 * that need no reading are given at once; everything else is stored, queued and answered later.
 */

import { createHash } from 'node:crypto';
import { actionId, readBlockId } from '../../adapters/channels/slack/message-buttons.ts';
import { clip } from '../../core/messages/clip.ts';
import { DAY, plus, SECOND } from '../../core/model/time.ts';
import { mayNameSources } from './authority.ts';
import { code, mention } from './blocks.ts';
import { readDraft } from './draft.ts';
import { fitAnswerText } from './fit-reply.ts';
import { digestAccounts } from './linked-person.ts';
import { CONNECT_FORM, connectForm, readMetadata, SUBSCRIBE_FORM, subscribeForm } from './modal.ts';
import { findOriginProblem } from './own-identity.ts';
import { refuseTooMany } from './person-rate.ts';
import { findQueryProblems, offeredTypes, sayProblems } from './query-problems.ts';
import { findRefusal, type SlackVerb } from './rules.ts';
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

/** Thrown for a request of another workspace or app, and not kept: nothing is done about it. */
export class SlackRequestRefused extends Error {
  override readonly name = 'SlackRequestRefused';
}

const RECEIVED: SlackAck = {};

/** A request takes less than this; then its process has died. */
const STALE_AFTER = 10 * SECOND;

/** Handles a request once: for a retry of Slack's it returns the same acknowledgement. */
export async function receiveSlackRequest(ports: SlackPorts, request: SlackRequest): Promise<SlackAck> {
  const { idempotency, clock } = ports;
  const problem = await findOriginProblem(ports, request.origin);
  if (problem !== undefined) throw new SlackRequestRefused(problem);
  const startedAt = clock.now();
  const id = `slack ${createHash('sha256').update(request.id).digest('hex')}`;
  const times = { staleBefore: plus(startedAt, -STALE_AFTER), expiresAt: plus(startedAt, DAY) };
  // A write whose response was lost may have succeeded: then the stored request is this one.
  const fingerprint = Buffer.from(ports.randomBytes(12)).toString('hex');
  const { earlier } = await idempotency.begin(id, { fingerprint, startedAt }, times);
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
    if (earlier.response === null) throw new SlackRequestInProgress('this request is being handled');
    return JSON.parse(earlier.response) as SlackAck;
  }
  try {
    const ack = (await refuseTooMany(ports, request)) ?? (await handle(ports, request));
    await idempotency.finish(id, JSON.stringify(ack));
    return ack;
  } catch (error) {
    await idempotency.release(id);
    throw error;
  }
}

function handle(ports: SlackPorts, request: SlackRequest): Promise<SlackAck> | SlackAck {
  switch (request.kind) {
    case 'command':
    case 'mention':
      return handleCommand(ports, request, readCommandText(request.text));
    case 'action':
      return handleAction(ports, request);
    case 'submission':
      return handleSubmission(ports, request);
    case 'home':
      return queueWork(ports, request, 'home');
    default:
      return RECEIVED;
  }
}

type ActionRequest = Extract<SlackRequest, { readonly kind: 'action' }>;
type SubmissionRequest = Extract<SlackRequest, { readonly kind: 'submission' }>;
type TriggeredRequest = Extract<SlackRequest, { readonly triggerId: string }>;

type TaskArgs = Readonly<Record<string, string>>;

async function queueWork(
  ports: SlackPorts,
  request: SlackRequest,
  verb: SlackVerb,
  args: TaskArgs = {},
): Promise<SlackAck> {
  await openTask(ports, request, { verb, args });
  return RECEIVED;
}

async function handleCommand(ports: SlackPorts, request: SlackRequest, command: SlackCommand): Promise<SlackAck> {
  switch (command.verb) {
    case 'subscribe': {
      const problems = findQueryProblems(ports, command.query, request.place.user);
      if (problems.length === 0) return queueWork(ports, request, 'subscribe', { query: command.query });
      const refusal = await findRefusal(ports, request.place, 'subscribe');
      return say(ports, request, refusal ?? sayProblems(problems));
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
      return queueWork(ports, request, 'list', { from: `${command.from}` });
    case 'resume':
    case 'test':
    case 'preview':
    case 'disconnect':
      return queueWork(ports, request, command.verb);
    case 'menu':
      return request.kind === 'command' ? openForm(ports, request) : say(ports, request, helpText());
    case 'connect':
      return openConnectForm(ports, request);
    case 'wrong':
      return say(ports, request, command.message);
    default:
      return say(ports, request, helpText());
  }
}

/** An answer that needs no reading. A mention has no acknowledgement that people see. */
async function say(ports: SlackPorts, request: SlackRequest, text: string): Promise<SlackAck> {
  if (request.kind === 'command') return { response_type: 'ephemeral', text: fitAnswerText(text) };
  return queueWork(ports, request, 'say', { text });
}

function helpText(): string {
  const uses = Object.values(COMMAND_HELP).flat();
  const rows = uses.map(([usage, meaning]) => `• ${code(`/tidings ${usage}`)} ${meaning}`);
  return [
    'Tidings brings events of the work-management account to this channel.',
    ...rows,
    'In a thread, mention the app instead: `@Tidings subscribe task.overdue` subscribes that thread.',
  ].join('\n');
}

/** The part of an action id that names the action; undefined if it is not ours. */
const actionOf = ({ id }: SlackAction) => (id.startsWith(actionId('')) ? id.slice(actionId('').length) : undefined);

type ActionArgs = (action: SlackAction) => TaskArgs;

const draftOf: ActionArgs = ({ value }) => ({ draft: value });
const pressedOf: ActionArgs = ({ blockId, messageTs, value }) => ({ block: blockId, message: messageTs, value });
const actionOn = (name: string): ActionArgs => {
  return (action) => ({ ...pressedOf(action), action: name });
};

/** The buttons and menus of messages, previews and the home, each with its work. A form is opened at once. */
export const SLACK_ACTIONS: Readonly<Record<string, { readonly verb: SlackVerb; readonly args: ActionArgs } | 'form'>> =
  {
    confirm: { verb: 'confirm', args: draftOf },
    request: { verb: 'confirm', args: draftOf },
    cancel: { verb: 'cancel', args: draftOf },
    change: 'form',
    allow: { verb: 'decide', args: ({ value }) => ({ draft: value, decision: 'allow' }) },
    deny: { verb: 'decide', args: ({ value }) => ({ draft: value, decision: 'deny' }) },
    why: {
      verb: 'why',
      args: (action) => ({
        ...pressedOf(action),
        // In a list, the value of the menu names the event.
        subject: action.value.startsWith('evt_') ? action.value : (readBlockId(action.blockId)?.event ?? ''),
      }),
    },
    snooze: { verb: 'snooze', args: pressedOf },
    fewer: { verb: 'fewer', args: pressedOf },
    undo: { verb: 'undo', args: pressedOf },
    digest: { verb: 'digest', args: pressedOf },
    close: { verb: 'task', args: actionOn('close') },
    due: { verb: 'task', args: actionOn('due') },
    assign: { verb: 'task', args: actionOn('assign') },
  };

async function handleAction(ports: SlackPorts, request: ActionRequest): Promise<SlackAck> {
  const { action } = request;
  const name = actionOf(action) ?? '';
  const work = Object.hasOwn(SLACK_ACTIONS, name) ? SLACK_ACTIONS[name] : undefined;
  if (work === undefined) return RECEIVED;
  if (work === 'form') return openForm(ports, request, action.value);
  return queueWork(ports, request, work.verb, work.args(action));
}

/** A form was submitted: what is wrong is shown beside its fields. */
async function handleSubmission(ports: SlackPorts, request: SubmissionRequest): Promise<SlackAck> {
  const { view, place: by } = request;
  const { place, accounts = '' } = readMetadata(view.metadata, by);
  const valuesOf = (block: string) => view.values[block] ?? [];
  if (view.callbackId === CONNECT_FORM) {
    const token = (valuesOf('token')[0] ?? '').trim();
    const source = valuesOf('source')[0]?.trim() ?? ports.config.sources[0]?.name ?? '';
    const sealed = await ports.secrets.seal(token);
    return queueWork(ports, { ...request, place }, 'connect', { source, token: sealed, accounts });
  }
  if (view.callbackId !== SUBSCRIBE_FORM) return RECEIVED;
  const query = ['events', 'conditions', 'schedule'].flatMap(valuesOf).join(' ');
  const problems = findQueryProblems(ports, query, place.user);
  if (problems.length === 0) {
    return queueWork(ports, { ...request, place }, 'subscribe', { query });
  }
  const refusal = await findRefusal(ports, place, 'subscribe');
  if (refusal !== undefined) return say(ports, { ...request, place }, refusal);
  const schedule = valuesOf('schedule').join(' ');
  const errors: Record<string, string> = {};
  for (const { word, message } of problems) {
    const block = word !== '' && schedule.includes(word) ? 'schedule' : word === '' ? 'events' : 'conditions';
    errors[block] ??= clip(message, MAX_FIELD_ERROR);
  }
  return { response_action: 'errors', errors };
}

const MAX_FIELD_ERROR = 150;

/** Opened at once: Slack's trigger is valid for three seconds. @param draft the query to start from. @default - an empty form */
async function openForm(ports: SlackPorts, request: TriggeredRequest, draft = ''): Promise<SlackAck> {
  const refusal = await findRefusal(ports, request.place, 'subscribe');
  if (refusal !== undefined) return say(ports, request, refusal);
  const saved = draft === '' ? undefined : await readDraft(ports, draft);
  if (draft !== '' && saved === undefined) return queueWork(ports, request, 'confirm', { draft });
  if (saved !== undefined && saved.place.user !== request.place.user)
    return queueWork(ports, request, 'say', { text: `Only ${mention(saved.place.user)} can change this preview.` });
  const types = offeredTypes(ports, request.place.user);
  const { responseUrl } = request.place;
  const place =
    saved === undefined ? request.place : { ...saved.place, ...(responseUrl === undefined ? {} : { responseUrl }) };
  return openView(ports, request, subscribeForm(types, { place }, saved?.query));
}

async function openConnectForm(ports: SlackPorts, request: SlackRequest): Promise<SlackAck> {
  if (request.kind !== 'command')
    return say(ports, request, 'Type `/tidings connect` as a command, so that only you see it.');
  const refusal = await findRefusal(ports, request.place, 'connect');
  if (refusal !== undefined) return say(ports, request, refusal);
  const { sources } = ports.config;
  const context = { place: request.place, accounts: digestAccounts(sources) };
  const names = (await mayNameSources(ports, request.place)) ? sources.map(({ name }) => name) : 'typed';
  return openView(ports, request, connectForm(sources.length > 1 ? names : undefined, context));
}

async function openView(ports: SlackPorts, request: TriggeredRequest, view: object): Promise<SlackAck> {
  const opened = await ports.slack.call('views.open', { trigger_id: request.triggerId, view });
  if (opened.ok) return RECEIVED;
  const text = `Slack did not open the form (${code(opened.error)}). Please try again.`;
  return queueWork(ports, request, 'say', { text });
}
