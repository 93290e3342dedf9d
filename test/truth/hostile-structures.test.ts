/**
 * The truth run `growth` for structures, short form: whatever the body and the parameters of a request contain, no route takes
 * more than linear time. The routes are those of the API: a new one is tried too.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../manage/api/routes.ts';
import { type ApiWorld, startApiWorld, taskEvent } from '../manage/api-world.ts';
import { measureShapes } from './growth.ts';
import { BODY_SHAPES, QUERY_SHAPES, TEMPLATE_SHAPES } from './hostile-structures.ts';

/** A quarter of the largest body, and the longest URL. */
const MAX_BODY_LENGTH = 64 * 1024;
const MAX_QUERY_LENGTH = 8 * 1024;

/** CPU time for a template of the greatest length. */
const MAX_TEMPLATE_MS = 1500;

let world: ApiWorld;

beforeAll(async () => {
  // Without budgets, so that none of them hides a slow function.
  const workLimits = { request: 1e9, perMinute: 1e9, waiting: 1e6 };
  world = await startApiWorld({ wrap: (api) => ({ ...api, workLimits }) });
  await world.record(...Array.from({ length: 20 }, (_, index) => taskEvent(`evt_${index}`)));
});

afterAll(async () => {
  await world.stop();
});

const pathOf = (path: string) => path.replace('{name}', 'declared').replaceAll(/\{\w+\}/g, '1');

describe('the time of a route', () => {
  it.each(routes.filter(({ body }) => body !== undefined).map((route) => [route.operation, route] as const))(
    'grows no faster than the structure of its body: %s',
    async (name, { method, path }) => {
      // The last character differs from call to call, and is not part of the structure.
      const read = (text: string) => world.ask(method.toUpperCase(), pathOf(path), text.slice(0, -1));
      const shapes = await measureShapes({ name, read }, BODY_SHAPES, MAX_BODY_LENGTH);
      const templates = await measureShapes(
        { name, read, maxMillis: MAX_TEMPLATE_MS },
        TEMPLATE_SHAPES,
        MAX_BODY_LENGTH,
      );
      expect([...shapes.slow, ...templates.slow]).toEqual([]);
    },
  );

  it.each(routes.filter(({ query }) => query !== undefined).map((route) => [route.operation, route] as const))(
    'grows no faster than its parameters: %s',
    async (name, { path }) => {
      const read = (text: string) => world.ask('GET', `${pathOf(path)}?${text}`);
      expect((await measureShapes({ name, read }, QUERY_SHAPES, MAX_QUERY_LENGTH)).slow).toEqual([]);
    },
  );

  it('is found to grow too fast where it is quadratic', async () => {
    const read = (text: string) => {
      const keys = Object.keys(JSON.parse(text.slice(0, -1)) as object);
      return keys.filter((key) => keys.indexOf(`${key}!`) !== -1).length;
    };
    const shapes = BODY_SHAPES.filter(({ name }) => name === 'many keys');
    const { slow } = await measureShapes({ name: 'quadratic', read }, shapes, 512 * 1024);
    expect(slow).toEqual([expect.stringMatching(/^quadratic of many keys: exponent (?:1\.[3-9]|2\.\d)/)]);
  });
});
