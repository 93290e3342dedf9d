/** Which missing records are requested, how often, and what is said when the API does not decide. */

import { describe, expect, it } from 'vitest';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { HOUR } from '../../../core/model/time.ts';
import type { WireRow } from '../../../core/ports/source-api.ts';
import { baselined, type World } from './poll-world.ts';

async function sweep(world: World): Promise<string[]> {
  world.clock.advance(6 * HOUR);
  await world.run({ everything: true });
  return world.news();
}

/** The list does not show these records, and each request for one is answered like this. */
function unlist(world: World, ids: readonly string[], answer: (id: string) => WireRow | undefined): string[] {
  const asked: string[] = [];
  const hidden = new Map(ids.map((id) => [id, world.api.rows.get(id)]));
  for (const id of ids) world.api.rows.delete(id);
  const { get } = world.api;
  world.api.get = async (resource, id) => {
    asked.push(id);
    return hidden.has(id) ? answer(id) : get(resource, id);
  };
  return asked;
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
const forbid = (): never => {
  throw new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '403');
};

describe('missing records', () => {
  it('that exist do not keep a deleted one from its turn, and are requested once a day', async () => {
    const world = await baselined(2000);
    const rows = new Map(world.api.rows);
    const asked = unlist(world, range(1, 80), (id) => rows.get(id));
    const news = [...(await sweep(world)), ...(await sweep(world))];
    world.api.rows.delete('1500');
    for (let day = 0; day < 3; day++) for (let turn = 0; turn < 4; turn++) news.push(...(await sweep(world)));
    expect(news).toEqual(['task.deleted 1500']);
    expect(asked.length).toBeLessThan(80 * 5);
  });

  it('that answer 403 do not either, and are reported once', async () => {
    const world = await baselined(2000);
    const asked = unlist(world, range(1, 60), forbid);
    const news = [...(await sweep(world)), ...(await sweep(world))];
    world.api.rows.delete('1500');
    for (let turn = 0; turn < 12; turn++) news.push(...(await sweep(world)));
    expect(news).toEqual(['source.deletions_undecided main', 'task.deleted 1500']);
    expect(asked.length).toBeLessThan(60 * 7);
  });

  it('that fail do not make the sweep fail, nor keep others from their turn', async () => {
    const world = await baselined(500);
    unlist(world, range(1, 5), () => {
      throw new RetryLater('TIDINGS_SOURCE_STATUS', '500');
    });
    world.api.rows.delete('400');
    const news = [...(await sweep(world)), ...(await sweep(world)), ...(await sweep(world))];
    expect(news).toContain('task.deleted 400');
    expect((await world.state())?.failures).toBe(0);
  });

  it('are decided although the API always counts more records than it lists', async () => {
    const world = await baselined(50);
    const { list } = world.api;
    world.api.list = async (...query) => {
      const page = await list(...query);
      const content = page.content();
      return { ...page, content: () => ({ ...content, listCount: content.listCount + 3 }) };
    };
    world.api.rows.delete('42');
    const news = [...(await sweep(world)), ...(await sweep(world)), ...(await sweep(world))];
    expect(news).toEqual(['task.deleted 42']);
  });

  it('that were noticed before a mass disappearance are decided while the brake holds', async () => {
    const world = await baselined(2000);
    const rows = new Map(world.api.rows);
    for (const id of range(1, 90)) world.api.rows.delete(id);
    expect(await sweep(world)).toHaveLength(50);
    unlist(world, range(1000, 1500), (id) => rows.get(id));
    const news = await sweep(world);
    expect(news[0]).toBe('task.deleted 51');
    expect(news.filter((line) => line.startsWith('task.deleted'))).toHaveLength(40);
    expect(news).toContain('source.mass_disappearance main');
  });

  it('release the brake when they turn out to exist, and single deletions follow', async () => {
    const world = await baselined(300);
    const rows = new Map(world.api.rows);
    unlist(world, range(1, 100), (id) => rows.get(id));
    const news = await sweep(world);
    world.api.rows.delete('250');
    for (let turn = 0; turn < 6; turn++) news.push(...(await sweep(world)));
    expect(news).toEqual(['source.mass_disappearance main', 'task.deleted 250']);
    expect((await world.state())?.held).toBeNull();
  });

  it('report a mass deletion once, however many sweeps it takes', async () => {
    const world = await baselined(400);
    for (const id of range(1, 200)) world.api.rows.delete(id);
    const news: string[] = [];
    for (let turn = 0; turn < 8; turn++) news.push(...(await sweep(world)));
    expect(news.filter((line) => line.startsWith('source.'))).toEqual(['source.mass_disappearance main']);
    expect(news.filter((line) => line.startsWith('task.deleted'))).toHaveLength(200);
  });

  it.each([
    ['every second one', (id: number) => id % 2 === 0, 400],
    ['every tenth one', (id: number) => id % 10 === 0, 400],
    ['nine of ten', (id: number) => id % 10 !== 0, 400],
    ['every twentieth one', (id: number) => id % 20 === 0, 3000],
  ])('of which some are deleted, %s, are all decided, and only those are emitted', async (_, isDeleted, count) => {
    const world = await baselined(count);
    const rows = new Map(world.api.rows);
    const missing = range(1, count / 2);
    const isGone = (id: string) => isDeleted(Number(id));
    unlist(world, missing, (id) => (isGone(id) ? undefined : rows.get(id)));
    const first = await sweep(world);
    expect(first).toEqual(['source.mass_disappearance main']);
    const news: string[] = [];
    for (let turn = 0; turn < 60; turn++) news.push(...(await sweep(world)));
    expect(news.filter((line) => line.startsWith('source.') && line !== 'source.recovered main')).toEqual([]);
    const deleted = news.filter((line) => line.startsWith('task.deleted')).map((line) => line.split(' ')[1]);
    expect(deleted.toSorted()).toEqual(missing.filter(isGone).toSorted());
    expect((await world.state())?.held).toBeNull();
  });

  describe('more of them than can be remembered', () => {
    /** 3,000 tasks, of which 1,500 exist and are not listed. */
    async function manyUnlisted() {
      const world = await baselined(3000);
      const rows = new Map(world.api.rows);
      const asked = unlist(world, range(1, 1500), (id) => rows.get(id));
      return { world, rows, asked, news: [...(await sweep(world)), ...(await sweep(world))] };
    }

    it('release the brake, and a deletion is emitted by the next sweep', async () => {
      const { world, news } = await manyUnlisted();
      expect(news).toEqual(['source.mass_disappearance main']);
      expect((await world.state())?.held).toBeNull();
      for (let turn = 0; turn < 40; turn++) expect(await sweep(world)).toEqual([]);
      const { unlisted = {}, overflow } = (await world.state()) ?? {};
      expect([Object.keys(unlisted).length, overflow?.count]).toEqual([1000, 500]);
      world.api.rows.delete('2500');
      expect(await sweep(world)).toEqual(['task.deleted 2500']);
    });

    it('are all requested in turn, so that one of them that is deleted is found', async () => {
      const { world, rows, asked } = await manyUnlisted();
      for (let turn = 0; turn < 25; turn++) await sweep(world);
      for (const id of ['77', '1499']) rows.delete(id);
      asked.length = 0;
      const news: string[] = [];
      for (let turn = 0; turn < 40; turn++) news.push(...(await sweep(world)));
      expect(news.toSorted()).toEqual(['task.deleted 1499', 'task.deleted 77']);
      expect(asked.length).toBeLessThanOrEqual(50 * 40);
      expect(new Set(asked).size).toBeGreaterThan(1400);
    });

    it('cost no early sweep, and another mass disappearance is held', async () => {
      const { world, rows } = await manyUnlisted();
      for (let turn = 0; turn < 30; turn++) await sweep(world);
      world.clock.advance(HOUR);
      await world.run();
      expect((await world.state())?.sweepSoon).toBe(false);
      for (const id of range(1501, 1900)) world.api.rows.delete(id);
      expect(await sweep(world)).toEqual(['source.mass_disappearance main']);
      for (const id of range(1501, 1900)) world.api.rows.set(id, rows.get(id) ?? {});
      for (let turn = 0; turn < 3; turn++) expect(await sweep(world)).toEqual([]);
      expect((await world.state())?.held).toBeNull();
    });
  });
});
