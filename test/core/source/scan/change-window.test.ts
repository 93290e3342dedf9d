/** `occurred`: it contains the instant of the change, and begins at the last scan that would have shown it. */

import { describe, expect, it } from 'vitest';
import { workResourceOf } from '../../../../adapters/sources/work/resources.ts';
import { RetryLater } from '../../../../core/model/errors.ts';
import { initialScanState } from '../../../../core/model/scan.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../../../core/model/time.ts';
import { changeWindow } from '../../../../core/source/scan/change-window.ts';
import { NOON, snapshot } from '../../../samples.ts';
import { baselined, recordedEvents, setUp, type World } from '../poll-world.ts';

/** A source after its first sync, with fields that the tests change. */
async function started(name: 'task' | 'invoice' | 'project', fields: Record<string, unknown>): Promise<World> {
  const world = setUp(name);
  for (let id = 1; id <= 20; id++)
    world.api.put(String(id), { localid: String(id), title: 'T', statusid: '1', ...fields });
  await world.run();
  await world.news();
  world.clock.advance(5 * MINUTE);
  return world;
}

/** The window of the last event of this type. */
async function windowOf(world: World, type: string) {
  const events = (await recordedEvents(world)).filter((event) => event.type === type);
  return events.at(-1)?.data.occurred;
}

async function pollFor({ clock, run }: World, minutes: number) {
  for (let passed = 0; passed < minutes; passed += 5) {
    clock.advance(5 * MINUTE);
    await run();
  }
}

describe('the window of a task that a limited role shows for the first time', () => {
  const shown = { localid: '90', title: 'T90', statusid: '1' };

  async function limited(): Promise<World> {
    const world = setUp();
    world.api.me = { person: '5', role: 'Manager' };
    world.api.put('1', { localid: '1', title: 'T', statusid: '1' });
    await world.run();
    await pollFor(world, 60);
    await world.news();
    return world;
  }

  it('and that was created today begins before the day: it may have been hidden until now', async () => {
    const world = await limited();
    world.api.put('90', { ...shown, datecreated: '2026-11-14' });
    await pollFor(world, 5);
    const occurred = await windowOf(world, 'task.created');
    // Midnight of the day in the first of all zones.
    expect(occurred?.after).toBe('2026-11-13T10:00:00.000Z');
  });

  it('and that may be older ends with the response, not with its modification date', async () => {
    const world = await limited();
    const sweptAt = (await world.state())?.completeSweepAt;
    world.api.put('90', { ...shown, datecreated: '2026-11-13' });
    await pollFor(world, 5);
    const occurred = await windowOf(world, 'task.became_visible');
    expect(occurred).toEqual({ after: sweptAt, before: world.clock.now() });
  });
});

describe('the window of a change', () => {
  it('of a deleted task begins with the last sweep that listed it', async () => {
    const world = await baselined(20);
    await pollFor(world, 6 * 60);
    const sweptAt = (await world.state())?.lastSweepAt;
    await pollFor(world, 3 * 60);
    const deletedAt = world.clock.now();
    world.api.rows.delete('7');
    await pollFor(world, 60);
    const occurred = await windowOf(world, 'task.deleted');
    expect(occurred?.after).toBe(sweptAt);
    expect(occurred?.after && occurred.after < deletedAt).toBe(true);
    expect(occurred?.before && occurred.before > deletedAt).toBe(true);
  });

  it('of a deleted task whose absence could not be confirmed at once begins with the last sweep before that', async () => {
    const world = await baselined(20);
    const sweptAt = (await world.state())?.lastSweepAt;
    await pollFor(world, 60);
    world.api.rows.delete('7');
    const { get } = world.api;
    world.api.get = async () => {
      throw new RetryLater('TIDINGS_SOURCE_STATUS', 'answered 503');
    };
    await pollFor(world, 6 * 60);
    expect(await windowOf(world, 'task.deleted')).toBeUndefined();
    world.api.get = get;
    await pollFor(world, 24 * 60);
    expect((await windowOf(world, 'task.deleted'))?.after).toBe(sweptAt);
  });

  it('of a deleted task that was unlisted before begins with the last response that showed it', async () => {
    const world = await baselined(20);
    const { list } = world.api;
    world.api.list = async (resource, query, signal) => {
      const row = world.api.rows.get('7');
      world.api.rows.delete('7');
      const page = await list(resource, query, signal).finally(() => row && world.api.rows.set('7', row));
      return page;
    };
    await pollFor(world, 30 * 60);
    const requestedAt = (await world.state())?.unlisted?.['7']?.existedAt;
    world.api.rows.delete('7');
    await pollFor(world, 30 * 60);
    expect(await windowOf(world, 'task.deleted')).toMatchObject({ after: requestedAt });
    expect(requestedAt).not.toBe(NOON);
  });

  it('of logged hours that do not modify the task begins with the last sweep', async () => {
    const world = await started('task', { actual: '1.00' });
    const sweptAt = (await world.state())?.lastSweepAt;
    await pollFor(world, 2 * 60);
    const row = world.api.rows.get('7');
    world.api.put('7', { actual: '2.00' });
    world.api.rows.set('7', { ...world.api.rows.get('7'), datemodified: row?.datemodified });
    await pollFor(world, 4 * 60);
    expect(await windowOf(world, 'task.updated')).toMatchObject({ after: sweptAt });
  });

  it('of logged hours beside another edit begins with the last sweep too', async () => {
    const world = await started('task', { actual: '1.00' });
    await pollFor(world, 60);
    world.api.put('7', { actual: '2.00', title: 'changed' });
    await pollFor(world, 5);
    expect(await windowOf(world, 'task.updated')).toMatchObject({ after: NOON });
  });

  it('of an edited task begins with the last delta minus its overlap, and ends with the modification date', async () => {
    const world = await baselined(20);
    await pollFor(world, 60);
    const scannedAt = (await world.state())?.lastGoodScanAt ?? '';
    world.clock.advance(MINUTE);
    const editedAt = world.clock.now();
    world.api.put('7', { title: 'changed' });
    await pollFor(world, 5);
    expect(await windowOf(world, 'task.updated')).toEqual({
      after: plus(scannedAt, -(10 * MINUTE + SECOND)),
      before: plus(editedAt, SECOND),
    });
  });

  it('ends when the response came, not when the scan began', async () => {
    const world = await started('project', { name: 'P' });
    world.api.before = (call) => {
      if (call !== 'list') return;
      world.clock.advance(20 * SECOND);
      world.api.put('7', { name: `changed ${world.clock.now()}` });
    };
    const startedAt = world.clock.now();
    await world.run();
    const { after, before } = (await windowOf(world, 'project.updated')) ?? {};
    const changedAt = String(world.api.rows.get('7')?.name).slice('changed '.length);
    expect(changedAt > startedAt).toBe(true);
    expect(before && before >= changedAt).toBe(true);
    expect(after).toBe(NOON);
  });

  it('of an open invoice begins with the last open scan, of a paid one with the last sweep', async () => {
    const world = await baselined(0, 'invoice');
    for (const id of ['1', '2']) world.api.put(id, { localid: id, title: 'I', total: '10.00', balance: '10.00' });
    world.api.put('3', { localid: '3', title: 'I', total: '10.00', balance: '0.00', datepaid: '2026-11-01' });
    await pollFor(world, 7 * 60);
    const { lastSweepAt, lastGoodScanAt } = (await world.state()) ?? {};
    world.api.put('1', { title: 'changed' });
    await pollFor(world, 5);
    expect(await windowOf(world, 'invoice.updated')).toMatchObject({ after: lastGoodScanAt });
    world.api.put('3', { title: 'changed' });
    await pollFor(world, 6 * 60);
    expect(await windowOf(world, 'invoice.updated')).toMatchObject({ after: lastSweepAt });
  });

  it('of an invoice that was made without items begins with the last sweep, not with an open scan', async () => {
    const world = await baselined(0, 'invoice');
    await pollFor(world, 60);
    const sweptAt = (await world.state())?.lastSweepAt;
    const madeAt = world.clock.now();
    world.api.put('1', { localid: '1', title: 'I', total: '0.00', balance: '0.00' });
    const { list } = world.api;
    world.api.list = (resource, query, signal) => {
      const isHidden = query.filters?.open === true && world.api.rows.get('1')?.balance === '0.00';
      const row = world.api.rows.get('1');
      if (isHidden) world.api.rows.delete('1');
      return list(resource, query, signal).finally(() => isHidden && row && world.api.rows.set('1', row));
    };
    await pollFor(world, 30);
    world.api.put('1', { total: '10.00', balance: '10.00' });
    await pollFor(world, 10);
    const occurred = await windowOf(world, 'invoice.created');
    expect(occurred?.after).toBe(sweptAt);
    expect((occurred?.after ?? '') <= madeAt).toBe(true);
  });

  it.each([
    ['the title', { title: 'changed' }],
    ['another reference', { statusid: '2' }],
  ])('of a reference that was merged before an edit of %s begins with the last sweep', async (_, edit) => {
    const world = await started('task', { moduleid: '1' });
    const sweptAt = (await world.state())?.lastSweepAt;
    await pollFor(world, 60);
    world.api.rows.set('7', { ...world.api.rows.get('7'), moduleid: '2' });
    await pollFor(world, 60);
    world.api.put('7', edit);
    await pollFor(world, 5);
    expect(await windowOf(world, 'task.updated')).toMatchObject({ after: sweptAt });
  });

  it('of one edit of a reference is as short as that of another edit', async () => {
    const world = await started('task', { moduleid: '1' });
    await pollFor(world, 60);
    world.api.put('7', { statusid: '7', dateclosed: '2026-11-14' });
    const editedAt = world.clock.now();
    await pollFor(world, 5);
    expect(await windowOf(world, 'task.updated')).toMatchObject({ before: plus(editedAt, SECOND) });
  });

  it('contains a modification date that is older than the last scan', async () => {
    const world = await started('task', {});
    await pollFor(world, 60);
    const editedAt = plus(world.clock.now(), -30 * MINUTE);
    world.api.put('7', { title: 'changed' });
    const datemodified = editedAt.slice(0, 19).replace('T', ' ');
    world.api.rows.set('7', { ...world.api.rows.get('7'), datemodified });
    await world.run({ everything: true });
    const { after, before } = (await windowOf(world, 'task.updated')) ?? {};
    expect(after === null || (after ?? '') <= editedAt).toBe(true);
    expect(before).toBe(world.clock.now());
  });

  it('is not inverted after the clock was put back', async () => {
    const world = await started('project', { name: 'P' });
    world.clock.advance(5 * MINUTE);
    await world.run();
    world.clock.advance(-3 * MINUTE);
    world.api.put('7', { name: 'changed' });
    await world.run({ everything: true });
    const { after, before } = (await windowOf(world, 'project.updated')) ?? {};
    expect(after === null || (after ?? '') <= (before ?? '')).toBe(true);
  });

  it('of what another role shows has no beginning', async () => {
    const world = await baselined(20);
    world.api.me = { person: '1', role: 'Executive' };
    await pollFor(world, (2 * HOUR) / MINUTE);
    world.api.me = { person: '1', role: 'Administrator' };
    world.api.put('7', { title: 'changed' });
    const row = world.api.rows.get('7');
    world.clock.advance(HOUR);
    world.api.rows.set('7', { ...row });
    await world.run({ everything: true });
    expect(await windowOf(world, 'task.updated')).toMatchObject({ after: null });
  });
});

describe('the window of a change whose modification date went back', () => {
  it('ends with the response, also where no scan before is known', () => {
    const before = snapshot('1', { record: { id: '1', title: 'A', datemodified: '2026-11-14 09:00:00' } });
    const record = { ...before.record, title: 'B', datemodified: '2026-11-12 09:00:00' };
    const changes = [{ field: 'title', from: 'A', to: 'B' }];
    const scans = { resource: workResourceOf('task'), state: initialScanState('main', 'task'), isNewIdentity: true };
    const window = changeWindow(scans, { before, record, changes, response: { receivedAt: NOON } });
    expect(window).toEqual({ after: null, before: NOON });
  });
});
