/** Keys and the audit trail in the console: a token is shown once, errors stand beside their field, hostile names do nothing. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
beforeAll(async () => {
  world = await startConsoleWorld();
  browser = await world.logInAs();
});
afterAll(() => world.stop());

const field = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

async function openForm() {
  const { text } = await browser.get('/console/keys');
  return { csrf: field(text, 'csrf'), state: field(text, 'state') };
}

it('makes a key whose token is shown once and works', async () => {
  const form = await openForm();
  const made = await browser.post('/console/keys', { ...form, name: 'billing', scopes: 'read', events: 'invoice.*' });
  const token = /<code id="secret"[^>]*>([^<]+)<\/code>/.exec(made.text)?.[1] ?? '';
  expect((await world.ask('GET', '/event-types', undefined, { key: token })).status).toBe(200);
  const list = await browser.get('/console/keys');
  expect(list.text).toContain('billing');
  expect(list.text).toContain('only invoice.*');
  expect(list.text).not.toContain(token);
  expect((await browser.get('/console/audit')).text).toMatch(/made <a href="\/console\/keys">key [0-9a-f]{16}/);
});

it('does not make a second key when the page with the token is reloaded', async () => {
  const form = { ...(await openForm()), name: 'once', scopes: 'read' };
  expect((await browser.post('/console/keys', form)).status).toBe(200);
  const again = await browser.post('/console/keys', form);
  expect(again.status).toBe(409);
  const { data } = (await world.ask('GET', '/keys')).body;
  expect(data.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1);
});

it('shows errors beside their fields and keeps the input', async () => {
  const { status, text } = await browser.post('/console/keys', {
    ...(await openForm()),
    name: 'x'.repeat(101),
    events: 'invoice.* no type!',
    expiresAt: '2020-01-01',
  });
  expect(status).toBe(422);
  for (const name of ['name', 'scopes', 'events']) expect(text).toContain(`href="#f-${name}"`);
  expect(text).toContain('value="invoice.* no type!"');
  expect(text).toContain('Expected at least one scope');
  const past = await browser.post('/console/keys', {
    ...(await openForm()),
    name: 'p',
    scopes: 'read',
    expiresAt: '2020-01-01',
  });
  expect(past.text).toContain('Expected a time in the future');
});

it('removes the subscriptions of a key with it, if asked to', async () => {
  const { id, token } = await world.makeKey(['operate']);
  const body = { name: 'of-a-program', url: world.receiver.url, events: ['task.*'] };
  expect((await world.ask('POST', '/subscriptions', body, { key: token })).status).toBe(201);
  const { text } = await browser.get('/console/keys');
  expect(text).toContain('Also delete the 1 subscription that it made. Otherwise it goes on sending.');
  const form = { csrf: (await openForm()).csrf, subscriptions: 'remove' };
  const { location } = await browser.post(`/console/keys/${id}/remove`, form);
  expect((await browser.get(location ?? '')).text).toContain('The key was removed, with 1 subscription.');
  expect((await world.ask('GET', '/subscriptions/of-a-program')).status).toBe(404);
});

it('shows a hostile name as text, and removes the key', async () => {
  const name = '<script>alert(1)</script>" onload="x';
  await browser.post('/console/keys', { ...(await openForm()), name, scopes: 'read' });
  const { text } = await browser.get('/console/keys');
  expect(text).not.toContain('<script>alert');
  expect(text).toContain('&lt;script&gt;');
  const { data } = (await world.ask('GET', '/keys')).body;
  const { id } = data.find((one: { name: string }) => one.name === name);
  const { location } = await browser.post(`/console/keys/${id}/remove`, { csrf: (await openForm()).csrf });
  expect(location).toBe('/console/keys?done=key-removed');
  expect((await browser.get(location ?? '')).text).toContain('The key was removed.');
  expect((await browser.post(`/console/keys/${id}/remove`, { csrf: (await openForm()).csrf })).status).toBe(404);
});
