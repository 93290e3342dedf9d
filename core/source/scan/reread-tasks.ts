/**
 * Reads the tasks of projects that moved to another client or were renamed. The API joins these values into tasks without
 * modifying them, so no delta shows them, and filters of subscriptions would use the old ones until the next sweep.
 */

import { endsCycle, isFailedScan, isSourceError } from '../../model/error-codes.ts';
import { isRecordId } from '../../model/record.ts';
import type { ScanState } from '../../model/scan.ts';
import { leaseLostError } from '../source-lease.ts';
import { commitRows } from './commit-rows.ts';
import { parseRows } from './list-rows.ts';
import { errorCode, type RunPorts } from './run-scan.ts';
import type { ScanContext } from './scan-context.ts';

/** Projects of one request. */
const BATCH_SIZE = 100;

/** Projects beyond these are left to a sweep, which is brought forward. */
const MAX_PROJECTS = 500;

/** Rows of one page, and pages of one batch. Tasks beyond them are left to a sweep. */
const PAGE_SIZE = 2000;
const MAX_PAGES = 5;

/**
 * Returns the state of the tasks. Where the API does not serve these tasks, or there are too many, a sweep is brought forward.
 * @param context a scan of tasks
 */
export async function rereadTasks(
  ports: RunPorts,
  context: ScanContext,
  projectIds: readonly string[],
): Promise<ScanState> {
  const { source, resource, state, closedStatuses } = context;
  // The next sweep is the first one, or shows what another role sees.
  if (state.baselinedAt === null || state.forbiddenAt !== null || context.isNewIdentity) return state;
  let created = 0;
  let isWhole = projectIds.length <= MAX_PROJECTS;
  for (let at = 0; isWhole && at < projectIds.length; at += BATCH_SIZE) {
    const read = await readTasksOf(ports, context, projectIds.slice(at, at + BATCH_SIZE));
    created += read.created;
    isWhole = read.isWhole;
  }
  if (isWhole && created === 0) return state;
  const next: ScanState = {
    ...state,
    version: state.version + 1,
    count: state.count === null ? null : state.count + created,
    sweepSoon: state.sweepSoon || !isWhole,
    ...closedStatuses.memory(),
  };
  await context.assertLeaseHeld();
  if (!(await ports.scanStates.save(next))) throw leaseLostError(`${source} ${resource.name}`);
  return next;
}

async function readTasksOf(
  ports: RunPorts,
  context: ScanContext,
  projectIds: readonly string[],
): Promise<{ readonly created: number; readonly isWhole: boolean }> {
  const { resource, signal } = context;
  const filters = { order: 'ascending', projectIds } as const;
  let created = 0;
  try {
    for (let offset = 0, pages = 0; pages < MAX_PAGES; pages++) {
      const requestedAt = ports.clock.now();
      const page = await ports.api.list(resource.name, { offset, limit: PAGE_SIZE, filters }, signal);
      const { rows, listCount } = page.content();
      const { rows: parsed } = parseRows(rows.filter(({ id }) => isRecordId(id)));
      await context.assertLeaseHeld();
      const batch = { requestedAt, now: ports.clock.now(), serverTime: page.serverTime };
      const committed = await commitRows(ports, context, parsed, batch);
      created += committed.created;
      offset += rows.length;
      if (offset >= listCount) return { created, isWhole: true };
      if (rows.length === 0) break;
    }
  } catch (error) {
    const code = errorCode(error);
    // One list that fails does not delay the changes of the projects.
    if (!isSourceError(code) || endsCycle(code) || !isFailedScan(code)) throw error;
  }
  return { created, isWhole: false };
}
