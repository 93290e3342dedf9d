/**
 * What every SourceApi promises, whatever system it reads. The test of a source kind opens it on a real or simulated server and
 * runs this. Knows no paths, no envelope and no fields but those of the model.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SourceDefinition } from '../../adapters/sources/definition.ts';
import { isForbidden } from '../../core/model/error-codes.ts';
import { GiveUp } from '../../core/model/errors.ts';
import { compareIds } from '../../core/model/record.ts';
import { plus, SECOND } from '../../core/model/time.ts';
import type { ListFilters, Page, SourceApi } from '../../core/ports/source-api.ts';
import { cleanRow } from '../../core/resources/clean.ts';

export interface OpenSourceWorld {
  readonly definition: SourceDefinition;
  readonly api: SourceApi;
  /** The same server with a token that is not one. */
  readonly stranger: SourceApi;
  /** The token of the stranger, which no message may show. */
  readonly strangerToken: string;
  /** More tasks than one page of the API holds. */
  readonly taskCount: number;
  /** Changes the title of a task, as a person does. */
  rename(id: string, title: string): Promise<void>;
  remove(id: string): Promise<void>;
  /** The clock of the server. */
  now(): string;
  close(): Promise<void>;
}

const LIMIT = 100;

export function describeSourceApi(name: string, open: () => Promise<OpenSourceWorld>): void {
  describe(`the source ${name}`, () => {
    let world: OpenSourceWorld;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());

    const list = (filters: ListFilters, offset = 0, limit = LIMIT): Promise<Page> =>
      world.api.list('task', { offset, limit, filters });
    const idsOf = (page: Page) => page.content().rows.map(({ id }) => id);
    const task = () => world.definition.resources.get('task') ?? expect.unreachable();

    it('lists all tasks in id order, page by page, and counts them', async () => {
      const ids: string[] = [];
      for (let offset = 0; offset < world.taskCount; offset += LIMIT) {
        const page = await list({ order: 'ascending' }, offset);
        expect(page.content().listCount).toBe(world.taskCount);
        expect(page.listCount?.() ?? world.taskCount).toBe(world.taskCount);
        ids.push(...idsOf(page));
      }
      expect(ids).toHaveLength(world.taskCount);
      expect(ids).toEqual([...new Set(ids)].sort(compareIds));
      expect(idsOf(await list({ order: 'descending' }, 0, 3))).toEqual(ids.slice(-3).reverse());
      expect((await list({ order: 'ascending' }, world.taskCount + 5)).content().rows).toEqual([]);
    });

    it('returns no more rows than its traits say', async () => {
      const { maxPageSize = Number.POSITIVE_INFINITY } = task();
      const { rows } = (await list({ order: 'ascending' }, 0, 1000)).content();
      expect(rows.length).toBe(Math.min(maxPageSize, world.taskCount, 1000));
    });

    it('translates rows into tasks of the model', async () => {
      const [row] = (await list({ order: 'ascending' }, 0, 1)).content().rows;
      const { id, fields } = cleanRow(task(), row?.parse() ?? {});
      expect(id).toBe(row?.id);
      expect(fields).toMatchObject({
        title: expect.stringMatching(/\S/),
        projectid: expect.stringMatching(/^\d+$/),
        project: expect.stringMatching(/\S/),
        statusid: expect.stringMatching(/^\d+$/),
        status: expect.stringMatching(/\S/),
        assigneeid: expect.any(Array),
        ownerid: expect.any(Array),
        estimate: expect.any(Number),
        datecreated: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
        datemodified: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/),
      });
      expect(cleanRow(task(), (await world.api.get('task', id)) ?? {}).fields).toMatchObject(fields);
    });

    it('shows what changed since an instant, with other fingerprints, and nothing else', async () => {
      const before = await list({ order: 'ascending' });
      const [first, second] = before.content().rows;
      expect((await list({ order: 'ascending' })).digest).toBe(before.digest);
      const since = plus(world.now(), -SECOND);
      await world.rename(second?.id ?? '', 'renamed by the contract');
      const changed = await list({ order: 'ascending', modifiedAfter: plus(since, -SECOND) });
      expect(idsOf(changed)).toEqual([second?.id]);
      expect(changed.content().listCount).toBe(1);
      expect(changed.content().rows[0]?.parse().title).toBe('renamed by the contract');
      const after = await list({ order: 'ascending' });
      expect(after.digest).not.toBe(before.digest);
      expect(after.content().rows[0]?.fingerprint).toBe(first?.fingerprint);
      expect(after.content().rows[1]?.fingerprint).not.toBe(second?.fingerprint);
      expect(idsOf(await list({ order: 'ascending', modifiedAfter: plus(world.now(), 3600 * SECOND) }))).toEqual([]);
    });

    it('reads several records in one request, as its traits say', async () => {
      const rows = (await list({ order: 'ascending' }, 0, 3)).content().rows;
      const records = rows.map((row) => cleanRow(task(), row.parse()));
      const ids = records.map(({ id }) => id);
      const { readsBy } = task();
      expect(readsBy).toBeDefined();
      const localIds = records.map(({ fields }) => String(fields.localid));
      const filters = readsBy === 'id' ? { ids: [...ids, '99999999'] } : { localIds };
      expect(idsOf(await list({ order: 'ascending', ...filters }))).toEqual(expect.arrayContaining(ids));
      const projectIds = [...new Set(records.map(({ fields }) => String(fields.projectid)))];
      expect(idsOf(await list({ order: 'ascending', projectIds }))).toEqual(expect.arrayContaining(ids));
    });

    it('returns undefined for a record that was deleted or never was', async () => {
      const last = (await list({ order: 'descending' }, 0, 1)).content().rows[0]?.id ?? '';
      expect(await world.api.get('task', last)).toMatchObject({ title: expect.anything() });
      await world.remove(last);
      expect(await world.api.get('task', last)).toBeUndefined();
      expect(await world.api.get('task', '99999999')).toBeUndefined();
      expect((await list({ order: 'ascending' })).content().listCount).toBe(world.taskCount - 1);
    });

    it('says whom the token belongs to', async () => {
      const { traits } = world.api;
      const identity = await traits.identify(world.api);
      expect(identity).toMatchObject({ person: expect.stringMatching(/^\d+$/), name: expect.stringMatching(/\S/) });
      const known = {
        ...identity,
        person: identity?.person ?? '',
        role: identity?.role ?? null,
        checkedAt: world.now(),
      };
      expect(traits.seesEverything(known)).toBe(true);
      expect(traits.seesEverything(undefined)).toBe(false);
      expect([null, expect.any(String)]).toContainEqual(await traits.findTimeZone(world.api));
    });

    it('lists each resource that it has', async () => {
      for (const resource of world.definition.resources.values()) {
        const page = await world.api
          .list(resource.name, { offset: 0, limit: 5, filters: {} })
          .catch((error: unknown) => {
            if (error instanceof GiveUp && (isForbidden(error.code) || error.code === 'TIDINGS_SOURCE_NOT_FOUND'))
              return;
            throw error;
          });
        if (page === undefined) continue;
        const { rows, listCount } = page.content();
        expect(listCount, resource.name).toBeGreaterThanOrEqual(rows.length);
        for (const row of rows) expect(cleanRow(resource, row.parse()).id, resource.name).toBe(row.id);
      }
    });

    it('has the resources of the model only, and polls some of them by default', () => {
      expect(Object.keys(world.definition.cadences).length).toBeGreaterThan(0);
      for (const name of Object.keys(world.definition.cadences))
        expect([...world.definition.resources.keys()]).toContain(name);
      expect([...world.api.traits.resources.keys()].sort()).toEqual([...world.definition.resources.keys()].sort());
    });

    it('refuses a token that is not one, whatever is asked, and does not show it', async () => {
      const attempts: readonly (() => Promise<unknown>)[] = [
        () => world.stranger.list('task', { offset: 0, limit: 5, filters: { order: 'ascending' } }),
        () =>
          world.stranger.list('task', { offset: 0, limit: 5, filters: { modifiedAfter: plus(world.now(), -SECOND) } }),
        () => world.stranger.list('project', { offset: 0, limit: 5, filters: {} }),
        () => world.stranger.get('task', '1'),
        () => world.stranger.traits.identify(world.stranger),
      ];
      for (const attempt of attempts) {
        const error = await attempt().then(
          () => expect.unreachable('expected a refusal'),
          (reason: GiveUp) => reason,
        );
        expect(error.code).toBe('TIDINGS_SOURCE_UNAUTHORIZED');
        expect(JSON.stringify([error.message, error.evidence])).not.toContain(world.strangerToken);
      }
    });

    it('counts its requests, and knows its token by a digest', async () => {
      const before = world.api.requests();
      await list({ order: 'ascending' }, 0, 1);
      expect(world.api.requests()).toBeGreaterThan(before);
      expect(world.api.tokenDigest?.()).toMatch(/^[0-9a-f]{16}$/);
      expect(world.api.tokenDigest?.()).not.toBe(world.stranger.tokenDigest?.());
    });

    it('ends a request with the reason of its signal', async () => {
      const reason = new Error('stopped');
      const request = world.api.list('task', { offset: 0, limit: 1, filters: {} }, AbortSignal.abort(reason));
      await expect(request).rejects.toBe(reason);
    });
  });
}
