/** Runs the work of a task: one function per verb. */

import { RetryLater, TidingsError } from '../../core/model/errors.ts';
import { excludeAlike, includeAgain, snoozeRecord } from './act-on-message.ts';
import { actOnTask } from './act-on-task.ts';
import { code, sayError } from './blocks.ts';
import { connectPerson, disconnectPerson } from './connect-person.ts';
import { readDraft } from './draft.ts';
import { chooseDigest, publishHome } from './home.ts';
import { listAll } from './list-subscriptions.ts';
import { pauseOwn, previewOwn, resumeOwn, testOwn, unsubscribe } from './manage-channel.ts';
import { decideRequest } from './request-permission.ts';
import { findRefusal, isChange, isLasting, type SlackVerb } from './rules.ts';
import { askOnce, openDirectory } from './slack-directory.ts';
import type { SlackPorts } from './slack-ports.ts';
import { AnswerRefused, replyTo } from './slack-reply.ts';
import { type RunningTask, type RunTask, runSlackTask } from './slack-task.ts';
import { confirmDraft, previewDraft } from './subscribe.ts';
import type { TakeTurn } from './take-turns.ts';
import { explainToChannel } from './why.ts';

const cancel: RunTask = (ports, running) => replyTo(ports, running, { text: 'Cancelled.' }, 'remove');

const say: RunTask = (ports, running) => replyTo(ports, running, { text: running.task.args.text ?? '' });

/** The work of the app by its verb. Who may have it done is in rules.ts. */
const WORKERS: Readonly<Record<SlackVerb, RunTask>> = {
  say,
  subscribe: previewDraft,
  confirm: confirmDraft,
  cancel,
  decide: decideRequest,
  list: listAll,
  unsubscribe,
  pause: pauseOwn,
  resume: resumeOwn,
  test: testOwn,
  preview: previewOwn,
  why: explainToChannel,
  connect: connectPerson,
  disconnect: disconnectPerson,
  snooze: snoozeRecord,
  fewer: excludeAlike,
  undo: includeAgain,
  task: actOnTask,
  home: publishHome,
  digest: chooseDigest,
};

/** Runs the task of a job. Throws only when a store fails: then the job is received again. */
export async function runSlackWork(
  ports: SlackPorts,
  id: string,
  report: (error: unknown) => void = () => {},
): Promise<void> {
  const run: RunTask = async (given, running) => {
    const { verb } = running.task;
    const worker = Object.hasOwn(WORKERS, verb) ? WORKERS[verb as SlackVerb] : undefined;
    if (worker === undefined) throw new Error(`unknown work of the Slack app: ${verb}`);
    const inTurn: TakeTurn = (work) => given.inTurn(work, running.task.place.user);
    const directory = askOnce(isLasting(verb as SlackVerb) ? openDirectory(given.slack) : given.directory);
    const own = { ...given, inTurn, directory };
    const work = async () => {
      const refusal = await findRefusal(own, running.task.place, verb as SlackVerb);
      await (refusal === undefined ? worker(own, running) : replyTo(own, running, { text: refusal }));
    };
    if (!isChange(verb as SlackVerb)) return work();
    return given.changeInTurn(await findChangedChannel(given, running), running.task.at, work);
  };
  await runSlackTask(ports, id, run, async (running, error) => {
    report(error);
    await sayFailed(ports, running, error);
  });
}

/** The buttons of a request to the admins are in another channel than the subscription that they make. */
async function findChangedChannel(ports: SlackPorts, { task }: RunningTask): Promise<string> {
  const [draft = ''] = (task.args.draft ?? '').split(' ');
  const { channel, user } = (draft === '' ? undefined : await readDraft(ports, draft))?.place ?? task.place;
  return channel === '' ? user : channel;
}

/** The message of a failure that passes names addresses inside the network, and anyone may read this. The log has it. */
async function sayFailed(ports: SlackPorts, running: RunningTask, error: unknown): Promise<void> {
  // The person knows already, and the work may be done.
  if (error instanceof AnswerRefused) return;
  const isPassing = error instanceof RetryLater || !(error instanceof TidingsError);
  const reason = isPassing ? code(error instanceof RetryLater ? error.code : 'unexpected error') : sayError(error);
  const text = `That did not work: ${reason}. Please try again in a few minutes.`;
  await replyTo(ports, running, { text });
}
