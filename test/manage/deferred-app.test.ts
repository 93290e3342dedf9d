import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { deferredApp } from '../../manage/deferred-app.ts';

function mountPages() {
  let loads = 0;
  const load = async () => {
    loads += 1;
    const pages = new Hono<{ Bindings: { readonly caller: string } }>();
    pages.get('/', (context) => context.text('start'));
    pages.get('/items/:id', (context) =>
      context.text(`${context.req.param('id')} at ${new URL(context.req.url).pathname}`),
    );
    pages.post('/items', async (context) => context.text(`${context.env.caller}: ${await context.req.text()}`, 201));
    pages.get('/broken', () => {
      throw new Error('broken page');
    });
    return pages as unknown as Hono;
  };
  const app = new Hono();
  app.route('/pages', deferredApp('/pages', load));
  app.onError((error, context) => context.text(`outer: ${error.message}`, 500));
  return { app, loads: () => loads };
}

it('loads the app at its first request, and once', async () => {
  const { app, loads } = mountPages();
  expect((await app.request('/other')).status).toBe(404);
  expect(loads()).toBe(0);
  const responses = await Promise.all(['/pages', '/pages', '/pages/items/7'].map((path) => app.request(path)));
  expect(await Promise.all(responses.map((one) => one.text()))).toEqual(['start', 'start', '7 at /pages/items/7']);
  expect(loads()).toBe(1);
});

it('passes on the method, the body and the environment', async () => {
  const { app } = mountPages();
  const made = await app.request('/pages/items', { method: 'POST', body: 'new' }, { caller: 'ann' });
  expect([made.status, await made.text()]).toEqual([201, 'ann: new']);
  const head = await app.request('/pages', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await app.request('/pages/none')).status).toBe(404);
});

it('leaves errors that the app does not handle to the app around it', async () => {
  const { app } = mountPages();
  const broken = await app.request('/pages/broken');
  expect([broken.status, await broken.text()]).toEqual([500, 'outer: broken page']);
});

it('leaves an app that cannot be loaded to the app around it', async () => {
  const app = new Hono().route(
    '/pages',
    deferredApp('/pages', () => Promise.reject(new Error('no such module'))),
  );
  app.onError((error, context) => context.text(`outer: ${error.message}`, 500));
  expect(await (await app.request('/pages')).text()).toBe('outer: no such module');
});
