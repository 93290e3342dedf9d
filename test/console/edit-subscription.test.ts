/** Making and editing subscriptions in the console: fields, errors, counts, previews, conflicts. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { cpuMillis } from '../cpu-time.ts';
import { taskEvent } from '../manage/api-world.ts';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let browser: Awaited<ReturnType<ConsoleWorld['logInAs']>>;
beforeAll(async () => {
  world = await startConsoleWorld({ config: { mail: { from: 'Tidings <t@example.com>', smtp: '${TOKEN}' } } });
  await world.record(taskEvent('1'), taskEvent('2'), taskEvent('3', 'task.created'));
  browser = await world.logInAs();
});
afterAll(() => world.stop());

const hidden = (text: string, name: string) =>
  (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '').replaceAll('&quot;', '"');

type Fields = Readonly<Record<string, string>>;

/** Opens the form, and sends it with these fields. */
async function sendNew(channel: string, fields: Fields) {
  const { text } = await browser.get(`/console/subscriptions/new?channel=${channel}`);
  const own = { csrf: hidden(text, 'csrf'), seed: hidden(text, 'seed'), channel, mode: 'query' };
  return browser.post('/console/subscriptions/new', { ...own, ...fields });
}

const openEdit = async (name: string) => (await browser.get(`/console/subscriptions/${name}/edit`)).text;

async function sendEdit(name: string, fields: Fields, form?: string) {
  const text = form ?? (await openEdit(name));
  const own = { csrf: hidden(text, 'csrf'), etag: hidden(text, 'etag'), mode: 'query' };
  return browser.post(`/console/subscriptions/${name}/edit`, { ...own, ...fields });
}

const read = async (name: string) => (await world.ask('GET', `/subscriptions/${name}`)).body;

describe('a new subscription', () => {
  it('starts with the choice of a channel, and says why one is not available', async () => {
    const { text } = await browser.get('/console/subscriptions/new');
    expect(text).toContain('/console/subscriptions/new?channel=teams');
    expect(text).not.toContain('channel=bus"');
    expect(text).toContain('Not available in this installation.');
  });

  it('by mail refuses an address that is too long in the form and through the API, and keeps those that are stored', async () => {
    const tooLong = `a@${'l'.repeat(64)}.com`;
    const expected = 'at most 63 characters between two dots of the domain, got';
    const { status, text } = await sendNew('email', { name: 'mail', 'to.to': tooLong, query: 'task.closed' });
    expect(status).toBe(422);
    expect(text).toContain(expected);
    const to = { email: { to: ['ann@example.com', tooLong] } };
    const asked = await world.ask('POST', '/subscriptions', { name: 'mail', to, events: ['task.closed'] });
    expect(asked).toMatchObject({ status: 422, body: { errors: [{ pointer: '/to/email/to/1' }] } });
    expect(asked.body.errors[0].detail).toContain(expected);
    // As an earlier version stored it.
    await world.ask('POST', '/subscriptions', {
      ...{ name: 'mail', to: { email: { to: ['ann@example.com'] } }, events: ['task.closed'] },
    });
    const stored = (await world.embedded.subscriptions.get('mail')) ?? expect.unreachable();
    await world.embedded.subscriptions.save({
      ...stored,
      to: { channel: 'email', settings: { to: ['ann@example.com', tooLong] } },
    });
    expect(await read('mail')).toMatchObject({ to });
    expect((await world.ask('POST', '/subscriptions/mail/pause')).status).toBe(200);
    expect(await openEdit('mail')).toContain(tooLong);
    expect((await world.ask('DELETE', '/subscriptions/mail')).status).toBe(204);
  });

  it('to an endpoint shows its signing secret once', async () => {
    const { status, text } = await sendNew('http', {
      name: 'ops',
      'to.url': world.receiver.url,
      'to.headers': 'x-team: blue',
      query: 'task.closed project:"Website relaunch"',
      rate: '30/m',
    });
    expect(status).toBe(200);
    expect(text).toMatch(/<code id="secret"[^>]*>whsec_/);
    expect(await read('ops')).toMatchObject({
      events: ['task.closed'],
      where: { data: { record: { project: [{ 'equals-ignore-case': 'Website relaunch' }] } } },
      url: world.receiver.url,
      rate: '30/m',
    });
  });

  it('without a name is made once, however often the form is sent', async () => {
    const { text } = await browser.get('/console/subscriptions/new?channel=slack');
    const form = {
      csrf: hidden(text, 'csrf'),
      seed: hidden(text, 'seed'),
      channel: 'slack',
      mode: 'query',
      'to.webhook': 'https://hooks.slack.com/services/T/B/x',
      query: 'task.overdue daily 08:30',
    };
    const first = await browser.post('/console/subscriptions/new', form);
    expect(first.location).toMatch(/^\/console\/subscriptions\/sub_[0-9a-f]{18}\?done=created$/);
    expect((await browser.post('/console/subscriptions/new', form)).location).toBe(first.location);
  });

  it('shows its secret to nobody else, and not after a rotation', async () => {
    const { text } = await browser.get('/console/subscriptions/new?channel=http');
    const made = {
      seed: hidden(text, 'seed'),
      channel: 'http',
      mode: 'query',
      query: 'task.closed',
      'to.url': world.receiver.url,
    };
    const send = async (one: typeof browser) => {
      const { text: answer } = await one.post('/console/subscriptions/new', { ...made, csrf: await one.csrf() });
      return [/<bdi>(sub_[0-9a-f]{18})<\/bdi> was made/.exec(answer)?.[1], /whsec_[\w+/=]+/.exec(answer)?.[0]];
    };
    const [name, secret] = await send(browser);
    expect(secret).toBeDefined();
    // Who sends the same form again, as when the answer was lost.
    expect(await send(browser)).toEqual([name, secret]);
    const other = world.openBrowser();
    await other.logIn(await world.makeLink());
    const [otherName, otherSecret] = await send(other);
    expect([otherName === name, otherSecret === secret]).toEqual([false, false]);
    await world.ask('POST', `/subscriptions/${name}/rotate`);
    expect(await send(browser)).toEqual([undefined, undefined]);
  });

  it('refuses a filter that is nested deeply, beside its field, at once', async () => {
    const deep = `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const begun = cpuMillis();
    const { status, text } = await sendNew('http', {
      name: 'deep',
      'to.url': world.receiver.url,
      mode: 'fields',
      events: 'task.closed',
      content: 'pattern',
      where: deep,
    });
    expect(cpuMillis() - begun).toBeLessThan(1500);
    expect([status, text]).toEqual([422, expect.stringContaining('xpected at most 64 levels of brackets and braces')]);
  });

  it('comes back with its errors beside their fields and its input', async () => {
    const { status, text } = await sendNew('http', {
      name: 'Not A Name!',
      'to.url': 'nonsense',
      'to.auth.basic.user': 'ann',
      query: 'task.overdu proj:x',
      concurrency: 'many',
      'template.body': '{ not json',
    });
    expect(status).toBe(422);
    for (const name of ['name', 'to.url', 'query', 'concurrency', 'template.body']) {
      expect([name, text.includes(`id="e-${name}"`)]).toEqual([name, true]);
    }
    expect(text).toContain('did you mean task.overdue?');
    expect(text).toContain('value="nonsense"');
    expect(text).toContain('task.overdu proj:x</textarea>');
    expect(text).toContain('{ not json');
    expect(
      (await world.ask('GET', '/subscriptions')).body.data.map(({ name }: { name: string }) => name),
    ).not.toContain('Not A Name!');
  });

  it('says that a name is taken', async () => {
    const { status, text } = await sendNew('http', { name: 'declared', 'to.url': world.receiver.url, query: 'task.*' });
    expect(status).toBe(409);
    expect(text).toContain('is declared in the config');
  });

  it.each([
    ['', 'choose what happened', 0],
    ['task.*', '3 events', 3],
    ['task.closed', '2 events', 2],
    ['invoice.*', '0 events', 0],
  ])('%s: a preview counts the last 7 days without storing anything', async (query, words) => {
    const before = (await world.ask('GET', '/subscriptions')).body.data.length;
    const { status, text } = await sendNew('slack', { do: 'preview', query });
    expect(status).toBe(200);
    expect(text.toLowerCase()).toContain(words);
    expect((await world.ask('GET', '/subscriptions')).body.data).toHaveLength(before);
  });

  it.each([...channelRegistry.values()].filter(({ modes }) => modes.includes('embedded')))(
    'shows the message of $name, also while the receiver is not filled in',
    async ({ name, audience }) => {
      const { text } = await sendNew(name, { do: 'preview', query: 'task.overdue' });
      expect(text).toContain('The message');
      expect(text).toContain('With an example of task.overdue');
      if (name === 'email') expect(text).toContain('<iframe title="The mail" sandbox=""');
      else expect(text).toContain(audience === 'people' ? 'chat-card' : 'What is sent, as JSON');
    },
  );

  it('shows the text of a template', async () => {
    const { text } = await sendNew('teams', {
      do: 'preview',
      query: 'task.closed',
      'template.text': 'Done: {{ record.title }} <b>',
    });
    expect(text).toMatch(/class="as-written">Done: Task [0-9] &lt;b&gt;/);
  });

  it('switches between a query and controls without losing anything', async () => {
    const asFields = await sendNew('slack', {
      do: 'fields',
      query: 'task.overdue status:Open daily 08:30 mon-fri',
      'digest.list': 'new',
    });
    expect(asFields.text).toContain('name="mode" value="fields"');
    expect(asFields.text).toMatch(/id="f-digest\.at"[^>]*value="08:30"/);
    expect(asFields.text).toMatch(/name="events" value="task\.overdue" checked/);
    expect(asFields.text).toContain('name="condition.0.key" value="status"');
    expect(asFields.text).toMatch(/name="condition\.0\.value"[^>]*value="Open"/);
    expect(asFields.text).toMatch(/<option value="new" selected/);
    const asQuery = await sendNew('slack', {
      do: 'query',
      mode: 'fields',
      events: 'task.overdue',
      timing: 'digest',
      'digest.at': '08:30',
      'digest.days': 'mon',
      'digest.groupBy': 'person',
      'quiet.hours': 'yes',
      'quiet.from': '18:00',
      'quiet.until': '08:00',
    });
    expect(asQuery.text).toContain('task.overdue daily 08:30 mon quiet 18:00-08:00</textarea>');
    expect(asQuery.text).toContain('name="digest.groupBy" value="person"');
    const odd = { do: 'query', mode: 'fields', events: 'task.*', content: 'pattern', where: '{"subject":["task/1"]}' };
    const stays = (await sendNew('slack', odd)).text;
    expect(stays).toContain('name="mode" value="fields"');
    expect(stays).toContain('&quot;subject&quot;');
  });
});

describe('an edited subscription', () => {
  it('keeps its secrets, and loses what the form no longer has', async () => {
    const before = await world.api.subscriptions.get('ops');
    expect(
      (await sendEdit('ops', { 'to.url': world.receiver.url, 'to.headers': 'x-team: (unchanged)', query: 'invoice.*' }))
        .location,
    ).toBe('/console/subscriptions/ops?done=saved');
    const after = await world.api.subscriptions.get('ops');
    expect(after?.to).toEqual(before?.to);
    expect(after).toMatchObject({ events: ['invoice.*'] });
    expect(after?.where).toBeUndefined();
    expect(after?.rate).toBeUndefined();
  });

  it('shows no stored secret in its form', async () => {
    const text = await openEdit('ops');
    expect(text).toContain('x-team: (unchanged)');
    expect(text).not.toMatch(/sealed:|derived:|blue/);
  });

  it('shows a conflict with the input when it was changed in between, and saves it the second time', async () => {
    const form = await openEdit('ops');
    await world.ask('PATCH', '/subscriptions/ops', { events: ['task.created'] });
    const fields = { 'to.url': world.receiver.url, query: 'invoice.paid' };
    const stale = await sendEdit('ops', fields, form);
    expect(stale.status).toBe(412);
    expect(stale.text).toContain('Changed by someone else');
    expect(stale.text).toContain('It now says: <bdi>When a task was created');
    expect(stale.text).toContain('invoice.paid</textarea>');
    expect((await read('ops')).events).toEqual(['task.created']);
    expect((await sendEdit('ops', fields, stale.text)).status).toBe(303);
    expect((await read('ops')).events).toEqual(['invoice.paid']);
  });

  it('of a filter that no rows express shows it as JSON', async () => {
    await world.ask('PATCH', '/subscriptions/ops', { where: { subject: ['task/1'] } });
    const text = await openEdit('ops');
    expect(text).toContain('name="mode" value="fields"');
    expect(text).toContain('name="content" value="pattern"');
    const kept = {
      mode: 'fields',
      content: 'pattern',
      events: 'task.*',
      where: '{"subject":["task/2"]}',
      'to.url': world.receiver.url,
    };
    expect((await sendEdit('ops', kept)).status).toBe(303);
    expect((await read('ops')).where).toEqual({ subject: ['task/2'] });
  });

  it('of the config, or of a read-only session, has no form', async () => {
    expect((await browser.get('/console/subscriptions/declared/edit')).status).toBe(409);
    const reader = await world.logInAs('read');
    for (const path of ['new', 'new?channel=slack', 'ops/edit', 'ops/replay']) {
      expect([path, (await reader.get(`/console/subscriptions/${path}`)).status]).toEqual([path, 403]);
    }
  });
});

describe('the frame of a mail', () => {
  it('is a document of its own that runs nothing', async () => {
    const { status, text, headers } = await browser.get('/console/preview/mail?type=task.overdue&name=x', {
      'sec-fetch-dest': 'iframe',
    });
    expect(status).toBe(200);
    expect(text).toContain('<!doctype html>');
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'; style-src 'unsafe-inline'; /);
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
  });

  it('sanitizes a template, and is not shown outside of a frame', async () => {
    const html = encodeURIComponent('<p onclick="x()">Hi {{ record.title }}</p><script>alert(1)</script>');
    const path = `/console/preview/mail?type=task.overdue&template.html=${html}`;
    const { text } = await browser.get(path, { 'sec-fetch-dest': 'iframe' });
    expect(text).toContain('Hi Proofread the newsletter');
    expect(text).not.toMatch(/<script|onclick/);
    expect((await browser.get(path, { 'sec-fetch-dest': 'document' })).status).toBe(404);
    expect((await browser.get('/console/preview/mail?type=no.such')).status).toBe(404);
  });

  it('and the form are checked within the work that a session may cause', async () => {
    const workLimits = { request: 1e6, perMinute: 1e6, waiting: 20 };
    const busy = await startConsoleWorld({ wrap: (api) => ({ ...api, workLimits }) });
    const reader = await busy.logInAs('read');
    const path = '/console/preview/mail?type=task.overdue&template.subject={{';
    expect((await reader.get(path, { 'sec-fetch-dest': 'iframe' })).status).toBe(422);
    const writer = await busy.logInAs();
    const { text } = await writer.get('/console/subscriptions/new?channel=email');
    const own = { csrf: hidden(text, 'csrf'), seed: hidden(text, 'seed'), channel: 'email', mode: 'query' };
    workLimits.perMinute = -1;
    expect((await reader.get(path, { 'sec-fetch-dest': 'iframe' })).status).toBe(429);
    for (const action of ['preview', 'fields']) {
      const fields = { ...own, do: action, query: 'task.closed', 'to.to': 'ann@example.com' };
      expect([action, (await writer.post('/console/subscriptions/new', fields)).status]).toEqual([action, 429]);
    }
    await busy.stop();
  });
});

it('subscribes a channel of Slack with the token of the Slack app', async () => {
  const slackWorld = await startConsoleWorld({ config: { slack: { token: '${TOKEN}', appToken: '${TOKEN}' } } });
  const { get, post } = await slackWorld.logInAs();
  const { text } = await get('/console/subscriptions/new?channel=slack');
  const { status } = await post('/console/subscriptions/new', {
    csrf: hidden(text, 'csrf'),
    seed: hidden(text, 'seed'),
    channel: 'slack',
    mode: 'query',
    name: 'team',
    'to.channel': '#team',
    query: 'task.closed',
  });
  expect(status).toBeLessThan(400);
  expect((await slackWorld.ask('GET', '/subscriptions/team')).body.to).toEqual({ slack: { channel: '#team' } });
  await slackWorld.stop();
});
