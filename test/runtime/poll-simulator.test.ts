/** Polls the simulator while it misbehaves: replicas that lag behind, a lost project, roles, and lists that fail. */

import { afterEach, describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../core/model/time.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import { openSimulatorSource } from './simulator-source.ts';

let simulator: Simulator;
let stop: () => Promise<void>;
afterEach(() => stop());

/** A source that polls these resources of the simulator, after its baseline. */
async function open(names: readonly string[]) {
  const source = await openSimulatorSource(names);
  ({ simulator, stop } = source);
  return source;
}

const isOf = (what: RegExp) => (line: string) => what.test(line);

describe('a replica that lags behind', () => {
  it('shows no old row as news, no new task as deleted and no deleted task as restored', async () => {
    const { account, live } = await open(['task']);
    simulator.setFaults({ replicaLag: { ms: 8 * MINUTE, probability: 0.5 } });
    const wanted: string[] = [];
    const { projectid, moduleid, priorityid, statusid, ownerid, dateopen } = account.read('task', 1) ?? {};
    const change = (minute: number) => {
      const id = minute / 5;
      account.update('task', id, { title: `Changed ${id}` });
      wanted.push(`task.updated ${id}`);
      if (id % 3 !== 0) return;
      const created = account.create('task', {
        ...{ projectid, moduleid, priorityid, statusid, ownerid, dateopen },
        title: `New ${id}`,
      });
      wanted.push(`task.created ${created.id}`);
      account.remove('task', 60 + id);
      wanted.push(`task.deleted ${60 + id}`);
    };
    const news = await live(4, change);
    news.push(...(await live(8)));
    expect(news.filter(isOf(/created|deleted|restored|updated/)).sort()).toEqual(wanted.sort());
  });

  /** Whether all responses lag from now on. */
  const lag = (isLagging: boolean) =>
    simulator.setFaults({ replicaLag: { ms: 8 * MINUTE, probability: isLagging ? 1 : 0 } });

  it('does not delete a task that it does not have yet', async () => {
    const { account, run, news } = await open(['task']);
    lag(false);
    account.clock.advance(5 * MINUTE);
    const { projectid, moduleid, priorityid, ownerid, dateopen } = account.read('task', 1) ?? {};
    const fields = { projectid, moduleid, priorityid, ownerid, dateopen };
    const { id } = account.create('task', { ...fields, statusid: '1', title: 'New' });
    await run();
    expect(await news()).toEqual([`task.created ${id}`]);
    lag(true);
    account.clock.advance(MINUTE);
    await run(true);
    expect(await news()).toEqual([]);
    lag(false);
    account.remove('task', String(id));
    account.clock.advance(11 * MINUTE);
    await run(true);
    expect(await news()).toEqual([`task.deleted ${id}`]);
  });

  it('does not restore a deleted task that it still has', async () => {
    const { account, run, news } = await open(['task']);
    lag(false);
    account.clock.advance(5 * MINUTE);
    account.remove('task', 7);
    await run(true);
    expect(await news()).toEqual(['task.deleted 7']);
    lag(true);
    account.clock.advance(MINUTE);
    await run(true);
    expect(await news()).toEqual([]);
    account.clock.advance(HOUR);
    await run(true);
    expect(await news()).toEqual([]);
  });

  it('hides no change from the deltas until the next sweep', async () => {
    const { account, run, news } = await open(['task']);
    lag(false);
    account.clock.advance(5 * MINUTE);
    await run();
    lag(true);
    account.update('task', 7, { title: 'Changed' });
    for (const minutes of [2, 5]) {
      account.clock.advance(minutes * MINUTE);
      await run();
    }
    lag(false);
    account.clock.advance(5 * MINUTE);
    await run();
    account.clock.advance(5 * MINUTE);
    await run();
    expect(await news()).toEqual(['task.updated 7']);
  });

  it('reverses no payment that it does not have yet, although the record itself says so', async () => {
    const { account, run, news, live } = await open(['invoice']);
    lag(false);
    await live(1);
    const [owed] = account.list('invoice', { status: 'outstanding' }).filter(({ balance }) => Number(balance) > 0);
    account.pay(String(owed?.id));
    account.clock.advance(MINUTE);
    await run(true);
    expect(await news()).toContain(`invoice.paid ${owed?.id}`);
    lag(true);
    account.clock.advance(MINUTE);
    await run(true);
    lag(false);
    expect((await live(1)).filter(isOf(/reversed|paid|received|overdue/))).toEqual([]);
  });

  it('does not hide a payment for hours', async () => {
    const { account, live } = await open(['invoice']);
    await live(1);
    simulator.setFaults({ replicaLag: { ms: 8 * MINUTE, probability: 0.5 } });
    const isOwed = ({ balance }: { balance?: string | null }) => Number(balance) > 0;
    const owed = account.list('invoice', { status: 'outstanding' }).filter(isOwed).slice(0, 6);
    for (const { id } of owed) account.pay(String(id));
    const paid = (await live(1)).filter(isOf(/^invoice\.paid/));
    expect(new Set(paid)).toEqual(new Set(owed.map(({ id }) => `invoice.paid ${id}`)));
  });
});

describe('a token that sees a part of the account', () => {
  it('deletes nothing when its person leaves a project, and says so', async () => {
    const { account, live } = await open(['task', 'project', 'projectmodule', 'document']);
    await live(1);
    simulator.setRole(simulator.tokens.Administrator[0] ?? '', 'Manager');
    await live(7);
    simulator.setFaults({ lostProject: { project: Number(account.read('task', 1)?.projectid) } });
    const news = await live(30, undefined, 30);
    expect(news.filter(isOf(/deleted |restored|created/))).toEqual([]);
    expect(news.filter(isOf(/undecided/)).length).toBeGreaterThan(0);
    simulator.setFaults({ lostProject: false });
    expect((await live(7, undefined, 30)).filter(isOf(/deleted|restored|created/))).toEqual([]);
  });

  it('deletes neither a module that was deactivated nor a document that is private now', async () => {
    const { account, live } = await open(['projectmodule', 'document']);
    for (const role of ['Resource', 'Executive'] as const) {
      simulator.setRole(simulator.tokens.Administrator[0] ?? '', role);
      await live(7);
      for (const { id } of account.list('projectmodule', { active: 't', limit: '3' }))
        account.update('projectmodule', String(id), { active: 'f' });
      const document = account.data.document.get(Number(account.list('document', { public: 't' }, 'Executive')[0]?.id));
      if (document !== undefined) document.public = false;
      account.data.version += 1;
      expect((await live(7)).filter(isOf(/deleted /))).toEqual([]);
    }
  });
});

describe('a full list that fails', () => {
  it.each([
    ['answers 500', { serverError: { unfiltered: true, resource: 'task', method: 'GET' } }],
    ['breaks off', { cutBody: { unfiltered: true, resource: 'task', method: 'GET' } }],
  ])('and %s delays no delta, shrinks the pages, and is reported after a day', async (_, faults) => {
    const { account, live, state } = await open(['task']);
    await live(5);
    simulator.setFaults(faults);
    const missed: number[] = [];
    const news = await live(32, (minute, { scans }) => {
      account.update('task', 1 + (minute % 50), { title: `At ${minute}` });
      if (!scans.some(({ kind }) => kind === 'delta')) missed.push(minute);
    });
    expect(missed).toEqual([]);
    expect(news.filter(isOf(/^source/))).toEqual(['source.stale main']);
    expect((await state('task'))?.pageLimits?.sweep).toBeLessThan(100);
    simulator.setFaults(Object.fromEntries(Object.keys(faults).map((name) => [name, false])));
    await live(40, undefined, 30);
    expect(await state('task')).toMatchObject({ failedSweeps: null });
    expect((await state('task'))?.pageLimits?.sweep ?? Number.POSITIVE_INFINITY).toBeGreaterThan(100);
  });

  it('with one row twice is read, and deltas go on', async () => {
    const { account, live, state } = await open(['task']);
    simulator.setFaults({ oddRow: { row: 'repeated', unfiltered: true, resource: 'task' } });
    const news = await live(14, (minute) => {
      if (minute === 30) account.update('task', 7, { title: 'Changed' });
    });
    expect(news.filter(isOf(/updated|created|deleted|source/))).toEqual(['task.updated 7']);
    expect((await state('task'))?.failedSweeps ?? null).toBeNull();
  });
});
