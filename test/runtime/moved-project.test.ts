/** A project moves to another client. The API changes its tasks without modifying them, and filters use their client. */

import { afterEach, describe, expect, it } from 'vitest';
import { RetryLater } from '../../core/model/errors.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { MINUTE } from '../../core/model/time.ts';
import { openSimulatorSource } from './simulator-source.ts';

let stop: () => Promise<void>;
afterEach(() => stop());

/** The task 7 is due today, and its project is about to move. */
async function open(names: readonly string[]) {
  const source = await openSimulatorSource(names);
  ({ stop } = source);
  const { account } = source;
  const statusid = 1;
  account.update('task', 7, { statusid, datedue: '2026-11-14' });
  const projectid = String(account.read('task', 7)?.projectid);
  const before = String(account.read('project', projectid)?.clientid);
  const other = account.list('client').find(({ id }) => String(id) !== before);
  const clientid = String(other?.id ?? expect.unreachable());
  await source.live(1);
  const move = () => account.update('project', projectid, { clientid });
  const clientOf = async (id: string) =>
    (await source.snapshots.get({ source: 'main', resource: 'task', id }))?.record.clientid;
  return { ...source, move, projectid, before, clientid, clientOf };
}

const clientsIn = (events: readonly TidingsEvent[], type: string) =>
  events.flatMap((event) => (event.type === type ? [event.data.record.clientid] : []));

describe('a project that moves to another client', () => {
  it.each([[['task', 'project']], [['task']]])('takes along what becomes overdue at midnight: %s', async (names) => {
    const { run, live, account, move, events, clientid } = await open(names);
    // 23:57 in Berlin.
    await live(10.95);
    await events();
    move();
    for (let minute = 0; minute < 10; minute++) {
      account.clock.advance(MINUTE);
      await run();
    }
    expect(clientsIn(await events(), 'task.overdue')).toContain(clientid);
  });

  it('takes along its tasks with one request, before the next sweep', async () => {
    const { run, account, api, move, events, clientOf, before, clientid } = await open(['task', 'project']);
    expect(await clientOf('7')).toBe(before);
    account.clock.advance(5 * MINUTE);
    const start = api.requests();
    await run();
    const usual = api.requests() - start;
    move();
    account.clock.advance(5 * MINUTE);
    await run();
    expect(api.requests() - start - usual).toBe(usual + 1);
    expect(await clientOf('7')).toBe(clientid);
    expect((await events()).map(({ type }) => type)).toEqual(['project.updated']);
  });

  it('takes along a task that was deleted meanwhile', async () => {
    const { run, account, move, events, clientid } = await open(['task', 'project']);
    move();
    account.remove('task', 7);
    account.clock.advance(15 * MINUTE);
    await run(true);
    expect(clientsIn(await events(), 'task.deleted')).toEqual([clientid]);
  });

  it('is announced although its tasks cannot be read, and the sweep comes early', async () => {
    const { run, account, api, move, news, clientOf, state, clientid } = await open(['task', 'project']);
    const list = api.list.bind(api);
    const fail = async (): Promise<never> => {
      throw new RetryLater('TIDINGS_SOURCE_STATUS', '500 from the API');
    };
    api.list = (resource, query, signal) =>
      query.filters.projectIds === undefined ? list(resource, query, signal) : fail();
    move();
    account.clock.advance(5 * MINUTE);
    await run();
    expect(await news()).toEqual([expect.stringMatching(/^project\.updated/)]);
    expect((await state('task'))?.sweepSoon).toBe(true);
    account.clock.advance(60 * MINUTE);
    await run();
    expect(await clientOf('7')).toBe(clientid);
  });
});
