/** Shows a record: its snapshot, its stage, what time will change, and its events. */

import * as z from 'zod';
import type { ExplainedStep } from '../../core/delivery/explain.ts';
import { createByteBudget, MAX_RESPONSE_BYTES, takeFitting } from '../../core/model/byte-budget.ts';
import { UsageError } from '../../core/model/errors.ts';
import { type ExplainResult, explain } from '../../runtime/inspect/explain.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, isWithin, seesRecords } from './http/caller.ts';
import { notFound, Problem } from './http/problem.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { nameSchema, recordsSchema } from './http/schemas.ts';
import { runWithinBudget } from './http/work-budget.ts';

export interface RecordQuery {
  /** @default - all sources that have the record */
  readonly source?: string;
}

/** Of each source that has it: two accounts may each have a task 123. For callers that may see every event of the resource. */
export async function getRecord(api: ApiPorts, caller: Caller, resource: string, id: string, { source }: RecordQuery) {
  const what = `record '${resource}/${id}'`;
  if (!seesRecords(caller, resource)) throw notFound(what);
  const found = await find(api, caller, [...(source === undefined ? [] : [source]), resource, id].join('/'), what);
  // A resource such as `main/task` in the path names the source too: what counts is the record that was found.
  const results = found.filter(({ key }) => key.resource === resource);
  const data = results.flatMap(({ key, snapshot, ahead, steps, reading, names }) => {
    if (snapshot === null) return [];
    const versions = newestThatFit(caller, steps, MAX_RESPONSE_BYTES / results.length);
    return [
      {
        ...key,
        record: snapshot.record,
        stage: snapshot.stage,
        version: snapshot.version,
        committedAt: snapshot.committedAt,
        deletedAt: snapshot.deletedAt,
        ahead: ahead.map(({ at, events }) => ({ at, events: events.filter((type) => isWithin(caller, type)) })),
        reading,
        names,
        history: versions.map(({ history }) => history),
        events: versions.flatMap(({ events }) => events),
        more: versions.length < steps.length,
      },
    ];
  });
  if (data.length === 0) throw notFound(what, sayUnseen(results[0]));
  return { data };
}

/** Versions with their events, oldest first. Each has long texts up to three times, and a record may have hundreds. */
function newestThatFit(caller: Caller, steps: readonly ExplainedStep[], maxBytes: number) {
  const versions = steps.map((step) => ({
    history: toHistory(step),
    events: step.events
      .filter(({ recorded, event }) => recorded && isWithin(caller, event.type))
      .map(({ event }) => event),
  }));
  return takeFitting(versions.reverse(), createByteBudget(maxBytes)).toReversed();
}

/** A version of the record: what changed, and why there was no event. */
function toHistory({ version, at, cause, occurred, changes, stage, life, events, silence }: ExplainedStep) {
  return {
    version,
    at,
    cause,
    occurred,
    changes,
    stage,
    life,
    events: events.map(({ event }) => event.id),
    silence: silence?.words ?? null,
  };
}

/** Why no scan has found a record. */
function sayUnseen(result: ExplainResult | undefined): string | undefined {
  if (result === undefined) return undefined;
  const { key, reading, scan } = result;
  if (reading.state === 'off') return `${key.resource} is off in the config`;
  if (reading.state === 'forbidden') return `the token may not read ${key.resource}`;
  if (reading.state !== 'on') return undefined;
  if (scan === null || scan.baselinedAt === null) return `the first scan of ${key.resource} is not complete yet`;
  return 'no scan has found it; the token may not have access to it';
}

async function find(api: ApiPorts, caller: Caller, subject: string, what: string): Promise<readonly ExplainResult[]> {
  try {
    // The answer names no subscription.
    const options = { mayRead: (resource: string) => seesRecords(caller, resource), only: [] };
    return await runWithinBudget(api, caller, (pace) => explain(api, api.config, subject, { ...options, pace }));
  } catch (error) {
    // An unknown source or resource, or an id that is not a number.
    if (error instanceof UsageError && !(error instanceof Problem)) throw notFound(what);
    throw error;
  }
}

export const recordRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/records/{resource}/{id}',
    operation: 'getRecord',
    summary: 'Get a record: its snapshot, stage, next moments and events',
    tag: 'events',
    scopes: ['read'],
    query: z.strictObject({ source: nameSchema.optional().describe('Default: every source that has the record.') }),
    responses: { 200: { description: 'The record in each source that has it.', schema: recordsSchema } },
    errors: [404],
    run: async (api, { caller, params, query }) =>
      ok(await getRecord(api, caller, params.resource ?? '', params.id ?? '', query)),
  }),
];
