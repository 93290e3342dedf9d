/** Close task, Move due date and Assign to me: writes of the API, as the person who pressed, with the API's error shown to them. */

import type { SourceClient, WriteFields } from '../../adapters/sources/definition.ts';
import { isOwnFault } from '../../core/model/error-codes.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { sourceName, type TidingsEvent } from '../../core/model/event.ts';
import { recordChange } from '../../core/ports/audit-store.ts';
import { readAccount } from '../../core/source/account/account.ts';
import { completeClosedStatuses, findClosedStatusId } from '../../core/source/account/closed-statuses.ts';
import { mention, sayError } from './blocks.ts';
import { changeOnce, findChanger, type PlannedChange } from './change-once.ts';
import { asPerson, type LinkedPerson, readLink, sayMissingLink } from './linked-person.ts';
import { findPressed } from './pressed-event.ts';
import { slackAuthor } from './slack-author.ts';
import type { SlackPorts } from './slack-ports.ts';
import { NO_PREVIEWS, replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

type PlanChange = (options: {
  readonly ports: SlackPorts;
  readonly api: SourceClient;
  readonly person: LinkedPerson;
  readonly event: TidingsEvent;
  readonly value: string;
}) => Promise<PlannedChange>;

async function readTask({ get }: SourceClient, event: TidingsEvent) {
  const row = await get('task', idOf(event));
  if (row === undefined) throw new GiveUp('TIDINGS_SOURCE_NOT_FOUND', 'the task no longer exists');
  return row;
}

const planClose: PlanChange = async ({ ports, api, event }) => {
  const source = sourceName(event);
  const state = await ports.scanStates.get(source, 'task');
  const statuses = state && (await completeClosedStatuses(ports.snapshots, ports.config.rules, state));
  const names = ports.config.rules.closedStatuses;
  const statusid = statuses && findClosedStatusId(statuses, names);
  if (statusid === undefined) {
    const message = `no task with the status ${names.join(' or ')} was seen yet, so its id is unknown: close this one in the account`;
    throw new GiveUp('TIDINGS_SLACK_STATUS_UNKNOWN', message);
  }
  const isSo = String((await readTask(api, event)).statusid) === String(statusid);
  return { fields: isSo ? undefined : { statusid }, done: 'closed this task' };
};

const planDue: PlanChange = async ({ api, event, value }) => {
  const { datedue } = await readTask(api, event);
  const isSo = String(datedue ?? '').slice(0, value.length) === value;
  return { fields: isSo ? undefined : { datedue: value }, done: `moved the due date to ${value}` };
};

const planAssign: PlanChange = async ({ api, person, event }) => {
  const { assigneeid } = await readTask(api, event);
  const assignees = String(assigneeid ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const isMine = assignees.includes(person.person);
  return { fields: isMine ? undefined : { assigneeid: [...assignees, person.person] }, done: 'took this task' };
};

const PLANS: Readonly<Record<string, PlanChange>> = { close: planClose, due: planDue, assign: planAssign };

const idOf = ({ subject }: TidingsEvent) => subject.slice(subject.indexOf('/') + 1);

/** The press of one of these buttons. */
export async function actOnTask(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { place, args } = running.task;
  const plan = PLANS[args.action ?? ''];
  const pressed = await findPressed(ports, running);
  if (pressed === undefined || plan === undefined) return;
  const { event } = pressed;
  if (!event.subject.startsWith('task/')) {
    await replyTo(ports, running, { text: 'This message is about no task: nothing was changed.' });
    return;
  }
  const person = await readLink(ports, place.user, sourceName(event));
  if (typeof person === 'string') {
    await replyTo(ports, running, { text: sayMissingLink(person) });
    return;
  }
  if (!(await isOfAccountNow(ports, event))) {
    await replyTo(ports, running, {
      text: 'Tidings no longer reads the account of this message: nothing was changed.',
    });
    return;
  }
  const value = args.action === 'due' ? (args.value ?? '') : args.action === 'assign' ? place.user : '';
  const claim = { what: `${args.action} ${sourceName(event)}/${event.subject}`, value };
  try {
    const token = await ports.secrets.resolve(person.token);
    const done = await running.step('write', () =>
      asPerson(ports, sourceName(event), token, (api) =>
        changeOnce(ports, running, claim, {
          plan: () => plan({ ports, api, person, event, value: args.value ?? '' }),
          write: (fields) => updateTask(api, idOf(event), fields),
        }),
      ),
    );
    if (done === '') {
      const first = await findChanger(ports, running, claim);
      const text =
        first === undefined
          ? 'The task is like that already: nothing was changed.'
          : `${mention(first)} has done that already.`;
      await replyTo(ports, running, { text });
      return;
    }
    await recordChange(ports, slackAuthor(running), {
      action: `record.${args.action === 'close' ? 'closed' : args.action === 'due' ? 'due_date_moved' : 'assigned'}`,
      target: event.subject,
      details: { source: sourceName(event), person: person.person },
    });
    await sayInThread(ports, running, `${mention(place.user)} ${done}.`);
  } catch (error) {
    if (!(error instanceof GiveUp) || isOwnFault(error.code)) throw error;
    await replyTo(ports, running, { text: `The API refused it: ${sayError(error)}` });
  }
}

/** Another account has another task with this number. */
async function isOfAccountNow({ snapshots }: Pick<SlackPorts, 'snapshots'>, event: TidingsEvent): Promise<boolean> {
  const { knownSince } = await readAccount(snapshots, sourceName(event));
  return knownSince === undefined || event.time >= knownSince;
}

async function updateTask({ update }: SourceClient, id: string, fields: WriteFields): Promise<void> {
  if (update !== undefined) return void (await update('task', id, fields));
  throw new GiveUp('TIDINGS_SOURCE_WRITE_UNSUPPORTED', 'Tidings only reads this source: change the task there');
}

/** A line below the message, so that everyone sees who did it. */
export async function sayInThread(
  ports: SlackPorts,
  running: RunningTask,
  text: string,
  blocks?: readonly object[],
): Promise<void> {
  const { place, args } = running.task;
  const posted = await running.step('line', async () => {
    const result = await ports.slack.call('chat.postMessage', {
      channel: place.channel,
      thread_ts: place.thread ?? args.message,
      text,
      blocks,
      ...NO_PREVIEWS,
    });
    return result.ok ? 'posted' : result.error;
  });
  if (posted !== 'posted') await replyTo(ports, running, { text });
}
