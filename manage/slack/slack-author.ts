/** Who makes a change in Slack, for its entry in the audit trail. */

import type { ChangeAuthor } from '../../core/ports/audit-store.ts';
import type { RunningTask } from './slack-task.ts';

interface SlackMember {
  readonly user: string;
  readonly userName: string;
}

/**
 * The entries of a task are the same however often it runs.
 * @param member @default - the one who asked for the task
 * @param request what is processed. @default - the task
 */
export function slackAuthor(
  { task: { id, at, place } }: RunningTask,
  { user, userName }: SlackMember = place,
  request: string = id,
): ChangeAuthor {
  return { kind: 'slack', id: user, name: userName, request: { id: request, at } };
}
