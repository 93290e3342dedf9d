/** A poll of many sources: what it reads grows with the moments that are due, not with their product with the sources. */

import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it, vi } from 'vitest';
import { DAY } from '../../core/model/time.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld, type World } from './world.ts';

const OFF = ['invoice', 'project', 'client', 'person', 'expense', 'document', 'group', 'projectmodule'];
const SOURCES = 50;

let world: World;

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
});

/** Counts the reads of the agenda of snapshots. */
function countAgendaReads(client: Pick<DynamoDBClient, 'middlewareStack'>, table: string) {
  const reads = { queries: 0, items: 0 };
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const input = args.input as { readonly TableName?: string; readonly IndexName?: string };
      if (input.IndexName !== 'agenda' || input.TableName !== table) return result;
      const { Items = [] } = result.output as { readonly Items?: readonly unknown[] };
      reads.queries += 1;
      reads.items += Items.length;
      return result;
    },
    { step: 'initialize', priority: 'low' },
  );
  return reads;
}

it('reads the due moments of 50 sources together', async () => {
  world = await startWorld({
    simulator: { tasks: 5 },
    config: {},
    sources: (baseUrl) =>
      Array.from({ length: SOURCES }, (_, n) => ({
        name: `account${n}`,
        baseUrl,
        token: '${TOKEN}',
        timeZone: 'UTC',
        resources: { ...Object.fromEntries(OFF.map((name) => [name, 'off'])), task: { every: '1m' } },
        quota: { perMinute: 100_000 },
      })),
  });
  captureOutput();
  const { dynamodb } = world.options.clients ?? {};
  if (dynamodb === undefined) throw new Error('expected a client');
  await world.functions.poll();
  const due = async () => (await world.stores.snapshots.due({ until: world.clock.now() }, 10_000)).length;
  world.clock.advance(400 * DAY);
  const moments = await due();
  expect(moments).toBeGreaterThan(SOURCES);

  const reads = countAgendaReads(dynamodb, world.names.snapshots);
  await world.functions.poll();
  // One read of four shards, and some for sources that ask for an earlier start; each moment is read about once.
  expect(reads.items).toBeGreaterThanOrEqual(moments);
  expect(reads.items).toBeLessThan(3 * moments);
  expect(reads.queries).toBeLessThan(SOURCES);
}, 120_000);
