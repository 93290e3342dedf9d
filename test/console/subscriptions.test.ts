/** Subscriptions in the console: words, state, actions, stale forms, YAML. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../runtime/config/yaml.ts';
import { event } from '../samples.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
beforeAll(async () => {
  world = await startConsoleWorld();
  browser = await world.logInAs();
});
afterAll(() => world.stop());

const make = (name: string, body: object = {}) =>
  world.ask('PUT', `/subscriptions/${name}`, { url: world.receiver.url, events: ['invoice.*'], ...body });
const etagOf = (text: string) => (/name="etag" value="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"');
const act = async (name: string, action: string, fields: Record<string, string> = {}) =>
  browser.post(`/console/subscriptions/${name}/${action}`, { csrf: await browser.csrf(), ...fields });

describe('the list of subscriptions', () => {
  it('says in words what each asks for, and puts those that need attention first', async () => {
    await make('a-working-one');
    await make('z-paused', { active: false });
    const { text } = await browser.get('/console/subscriptions');
    expect(text).toContain('When anything happens to an invoice, ');
    expect(text.indexOf('z-paused')).toBeLessThan(text.indexOf('a-working-one'));
    expect(text).toContain('in the config');
  });
});

describe('one subscription', () => {
  it('is not called working while its attempts fail', async () => {
    await make('troubled');
    const paid = event('paid', { type: 'invoice.paid' });
    await world.record(paid);
    world.receiver.status = 500;
    await world.ask('POST', '/subscriptions/troubled/replay', { event: paid.id });
    await world.pump();
    world.receiver.status = 200;
    expect((await world.ask('GET', '/subscriptions/troubled')).body.state).toBe('ok');
    const { text } = await browser.get('/console/subscriptions/troubled');
    expect(text).toContain('retrying');
    expect(text).toMatch(/Every attempt since .* failed/);
    expect(text).toContain('500 from');
    const list = (await browser.get('/console/subscriptions')).text;
    expect(list.indexOf('troubled')).toBeLessThan(list.indexOf('z-paused'));
  });

  it('has a page also if it is called new', async () => {
    await make('new');
    const list = (await browser.get('/console/subscriptions')).text;
    const [, path = ''] = /href="([^"]*)"[^>]*>(?:(?!<\/a>).)*<bdi>new<\/bdi>/.exec(list) ?? [];
    expect((await browser.get(path)).text).toContain('<h1><bdi>new</bdi></h1>');
    expect((await browser.get('/console/subscriptions/new')).text).toContain('New subscription');
    const { location } = await act('new', 'pause');
    expect((await browser.get(location ?? '')).text).toContain('Paused. Deliveries are held');
  });

  it('shows the query that says the same, and its filter', async () => {
    await make('filtered', {
      events: ['task.overdue'],
      where: { data: { record: { project: [{ 'equals-ignore-case': 'Website relaunch' }] } } },
    });
    const { text } = await browser.get('/console/subscriptions/filtered');
    expect(text).toContain('task.overdue project:&quot;Website relaunch&quot;');
    expect(text).toContain('its project is “Website relaunch”');
  });

  it('pauses and resumes, also one of the config', async () => {
    for (const name of ['filtered', 'declared']) {
      const { location } = await act(name, 'pause');
      expect((await browser.get(location ?? '')).text).toContain('Paused. Deliveries are held');
      expect((await world.ask('GET', `/subscriptions/${name}`)).body.state).toBe('paused');
      await act(name, 'resume');
      expect((await world.ask('GET', `/subscriptions/${name}`)).body.state).toBe('ok');
    }
  });

  it('shows the new secret once, and does not rotate again when the page is reloaded', async () => {
    const etag = etagOf((await browser.get('/console/subscriptions/filtered')).text);
    const { text, status } = await act('filtered', 'rotate', { etag });
    expect(status).toBe(200);
    expect(text).toMatch(/whsec_[A-Za-z0-9+/]+/);
    const again = await act('filtered', 'rotate', { etag });
    expect(again.status).toBe(412);
    expect(again.text).not.toContain('whsec_');
    expect((await browser.get('/console/subscriptions/filtered')).text).toContain('Both secrets sign until');
  });

  it('is deleted only as it was shown', async () => {
    await make('short-lived');
    const etag = etagOf((await browser.get('/console/subscriptions/short-lived')).text);
    await world.ask('PATCH', '/subscriptions/short-lived', { events: ['task.*'] });
    const stale = await act('short-lived', 'remove', { etag });
    expect(stale.status).toBe(412);
    expect(stale.text).toContain('Changed by someone else');
    expect((await world.ask('GET', '/subscriptions/short-lived')).status).toBe(200);
    const fresh = etagOf((await browser.get('/console/subscriptions/short-lived')).text);
    const { location } = await act('short-lived', 'remove', { etag: fresh });
    expect((await browser.get(location ?? '')).text).toContain('The subscription was deleted');
    expect((await world.ask('GET', '/subscriptions/short-lived')).status).toBe(404);
  });

  it('of the config has no form to change it, and refuses a forged one', async () => {
    const { text } = await browser.get('/console/subscriptions/declared');
    expect(text).toContain('Declared in the config');
    expect(text).toContain('secret: ${OPS}');
    for (const action of ['rotate', 'remove']) expect(text).not.toContain(`/subscriptions/declared/${action}`);
    expect(text).not.toContain('/subscriptions/declared/edit');
    expect((await act('declared', 'remove', { etag: '*' })).status).toBe(409);
  });
});

describe('the export', () => {
  it('is a section of a config without secrets', async () => {
    await make('with-headers', { headers: { 'x-key': 'very-secret' } });
    const { text, headers } = await browser.get('/console/subscriptions/export.yaml');
    expect(headers.get('content-disposition')).toBe('attachment; filename="subscriptions.yaml"');
    expect(text).not.toMatch(/very-secret|whsec_|derived:|sealed:/);
    expect(text).toContain('#   WITH_HEADERS_SECRET');
    const { subscriptions } = parseYaml('export', text) as { subscriptions: { name: string; to: object }[] };
    expect(subscriptions.map(({ name }) => name)).toContain('declared');
    expect(subscriptions.find(({ name }) => name === 'with-headers')?.to).toEqual({
      http: {
        url: world.receiver.url,
        headers: { 'x-key': '${WITH_HEADERS_SECRET_2}' },
        secret: '${WITH_HEADERS_SECRET}',
      },
    });
    const one = await browser.get('/console/subscriptions/filtered/export.yaml');
    expect((parseYaml('export', one.text) as { subscriptions: object[] }).subscriptions).toHaveLength(1);
    expect((await browser.get('/console/subscriptions/unknown/export.yaml')).status).toBe(404);
  });
});
