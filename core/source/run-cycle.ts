/** Runs the scans of a plan one after the other, and then reads the records whose moments have come. */

import { endsCycle } from '../model/error-codes.ts';
import { errorMessage, RetryLater } from '../model/errors.ts';
import type { PolledResource } from '../resources/resource.ts';
import { task } from '../resources/task.ts';
import { ROLE_CHANGED } from './account/identity.ts';
import { type DueScan, isLightDue, lightKind, needsDueRead, type Plan, type PlannedResource } from './plan.ts';
import type { FailedScan, PollPorts, PollReport } from './poll-ports.ts';
import { readDue } from './scan/read-due.ts';
import { rereadTasks } from './scan/reread-tasks.ts';
import { errorCode, runScan } from './scan/run-scan.ts';
import { buildScanContext, type SourceContext } from './scan/scan-context.ts';
import type { ScanReport } from './scan/scan-report.ts';

/** Runs the due scans one after the other and stores the new states in `planned`. */
export async function runCycle(
  ports: PollPorts,
  source: SourceContext,
  planned: PlannedResource[],
  { due, budget, stretch }: Plan,
): Promise<PollReport> {
  const context = { ...source, rereadTasks: createTaskReader(ports, source, planned) };
  const pending = [...due];
  const scans: ScanReport[] = [];
  const failed: FailedScan[] = [];
  const confirmed = new Set<PolledResource>();
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { resource, kind } = next;
    const at = planned.findIndex((one) => one.resource === resource);
    const plannedResource = planned[at];
    if (plannedResource === undefined || context.signal?.aborted === true) continue;
    if (budget === 0) {
      failed.push(describeFailure(context, next, outOfBudget()));
      return { scans, failed };
    }
    let result = await runScan(ports, buildScanContext(context, kind, plannedResource, ports.clock.now()));
    if (result.error !== undefined && errorCode(result.error) === ROLE_CHANGED) {
      const repeated = { ...plannedResource, state: result.state };
      result = await runScan(ports, buildScanContext(context, kind, repeated, ports.clock.now()));
    }
    const scanned = { ...plannedResource, state: result.state };
    planned[at] = scanned;
    if (result.report !== undefined) scans.push(result.report);
    if (result.confirms === true) confirmed.add(resource);
    if (result.error === undefined) continue;
    failed.push(describeFailure(context, next, result.error));
    if (endsCycle(errorCode(result.error))) return { scans, failed };
    // A sweep that fails does not delay the lighter scan.
    if (kind === 'sweep' && isLightDue(scanned, stretch, ports.clock.now()))
      pending.unshift({ resource, kind: lightKind(resource) });
  }
  const isRead = budget > 0 && (await readAllDue(ports, context, planned, confirmed));
  return isRead ? { scans, failed, dueRead: true } : { scans, failed };
}

/** Reads the tasks of projects, with the state of the tasks in `planned`. */
function createTaskReader(
  ports: PollPorts,
  context: SourceContext,
  planned: PlannedResource[],
): SourceContext['rereadTasks'] {
  const at = planned.findIndex(({ resource }) => resource.name === task.name);
  return async (projectIds) => {
    const tasks = planned[at];
    if (tasks === undefined) return;
    const scan = buildScanContext(context, lightKind(tasks.resource), tasks, ports.clock.now());
    planned[at] = { ...tasks, state: await rereadTasks(ports, scan, projectIds) };
  };
}

/** Reads the records whose moments have come, after the scans: other changes come first. Returns whether there were any. */
async function readAllDue(
  ports: PollPorts,
  context: SourceContext,
  planned: PlannedResource[],
  confirmed: ReadonlySet<PolledResource>,
): Promise<boolean> {
  let isRead = false;
  for (const [at, one] of planned.entries()) {
    const now = ports.clock.now();
    if (!needsDueRead(one, now) || context.signal?.aborted === true) continue;
    const scan = buildScanContext(context, lightKind(one.resource), one, now);
    // With another role the records are swept first.
    if (scan.isNewIdentity) continue;
    const { state, error } = await readDue(ports, scan, confirmed.has(one.resource));
    planned[at] = { ...one, state };
    isRead = true;
    if (error !== undefined && endsCycle(errorCode(error))) break;
  }
  return isRead;
}

function describeFailure({ source }: SourceContext, { resource, kind }: DueScan, error: unknown): FailedScan {
  return { source, resource: resource.name, kind, code: errorCode(error), message: errorMessage(error) };
}

function outOfBudget(): RetryLater {
  return new RetryLater('TIDINGS_SOURCE_QUOTA_RESERVED', "the rest of today's quota is reserved for people");
}
