/** Remembers whose press of a button counted: the first one, however often and by how many people it is pressed. */

import { createHash } from 'node:crypto';
import { DAY, plus } from '../../core/model/time.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { RunningTask } from './slack-task.ts';

const PRESS = 'slack-press';
const KEPT_FOR = 90 * DAY;

/** A key in DynamoDB has at most 2,048 bytes, and some actions are about a name in the account. */
const MAX_ID_LENGTH = 500;

const idOf = (what: string) =>
  what.length <= MAX_ID_LENGTH ? what : `long ${createHash('sha256').update(what).digest('hex')}`;

/**
 * Undefined if this press counts; otherwise the id of the person whose press counted.
 * @param what identifies the action on its object, such as `close` and a message
 */
export async function claimPress(
  { documents, clock }: Pick<SlackPorts, 'documents' | 'clock'>,
  { task }: RunningTask,
  what: string,
): Promise<string | undefined> {
  const body = { by: task.place.user, task: task.id };
  if (await documents.add(PRESS, idOf(what), body, plus(clock.now(), KEPT_FOR))) return undefined;
  const first = await documents.get(PRESS, idOf(what));
  // The same task runs again after it was interrupted.
  return first === undefined || first.task === task.id ? undefined : String(first.by);
}

/** Whether somebody's press of it counted. */
export const isPressed = async ({ documents }: Pick<SlackPorts, 'documents'>, what: string): Promise<boolean> =>
  (await documents.get(PRESS, idOf(what))) !== undefined;

/** Lets the button be pressed again: its action failed, or was undone. */
export async function releasePress({ documents }: Pick<SlackPorts, 'documents'>, what: string): Promise<void> {
  await documents.remove(PRESS, idOf(what));
}
