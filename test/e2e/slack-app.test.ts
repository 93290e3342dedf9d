/** `tidings serve` with the Slack app against the simulated Slack, through both doors: Socket Mode and HTTP. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BOT_SCOPES } from '../../cli/slack-manifest.ts';
import { type Simulator, startSimulator } from '../../simulator/simulator.ts';
import { type Slack, startSlack } from '../../simulator/slack/slack.ts';
import { runCommand } from '../cli/run-command.ts';

const STARTED = Date.now();
const ADMIN = 'U0000ADM';
const ANN = 'U0000ANN';
const GUEST = 'U0000GIL';
const CROWD = Array.from({ length: 20 }, (_, index) => ({ id: `U00000C${index}`, name: `Person ${index}` }));

let folder: string;
let simulator: Simulator;
let slack: Slack;
let served: Promise<unknown>;
let serveUrl = '';
const stop = new AbortController();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-slack-app-'));
  simulator = await startSimulator({ seed: 7, tasks: 40, quota: Number.POSITIVE_INFINITY });
  slack = await startSlack({
    perSecond: Number.POSITIVE_INFINITY,
    people: [
      { id: ADMIN, name: 'Ada Berg', isAdmin: true },
      { id: ANN, name: 'Ann Vogt' },
      { id: GUEST, name: 'Gil Marten', guest: 'single-channel' },
      ...CROWD,
    ],
    channels: [
      'general',
      'team',
      { name: 'client', isShared: true, members: [ADMIN, ANN, GUEST] },
      { name: 'board', isPrivate: true, members: [ADMIN], hasBot: false },
    ],
    scopes: BOT_SCOPES,
    // A busy machine must not fail a test: the clock of Slack stands still, so that no trigger expires.
    now: () => STARTED,
    app: { ackTimeoutMs: 60_000, retryDelaysMs: [], drainMs: 50 },
  });
  const config = join(folder, 'tidings.json');
  writeFileSync(
    config,
    JSON.stringify({
      source: { name: 'main', baseUrl: simulator.url, token: '${TOKEN}', resources: { task: { every: '1h' } } },
      slack: {
        token: '${SLACK_TOKEN}',
        appToken: '${SLACK_APP_TOKEN}',
        signingSecret: '${SLACK_SIGNING_SECRET}',
        offer: ['task.*'],
        admins: [ADMIN],
        api: slack.apiUrl,
      },
      network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    }),
  );
  let output = '';
  served = runCommand(['serve', '--config', config, '--data', join(folder, 'data'), '--port', '0'], {
    environment: {
      TOKEN: simulator.tokens.Administrator[0] ?? '',
      SLACK_TOKEN: slack.token,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_SIGNING_SECRET: slack.app.signingSecret,
    },
    stop: stop.signal,
    onWrite: (_, text) => {
      output += text;
    },
  });
  await vi.waitFor(
    () => {
      expect(output).toMatch(/health +http/);
      expect(slack.app.sockets.count).toBeGreaterThan(0);
    },
    { timeout: 60_000, interval: 20 },
  );
  serveUrl = /health +(http:\/\/[^/]+)/.exec(output)?.[1] ?? '';
});

afterAll(async () => {
  stop.abort();
  await served;
  await Promise.all([slack.close(), simulator.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  slack.app.http.urls = undefined;
});

const texts = (person: string, channel: string) =>
  slack
    .as(person)
    .sees(channel)
    .map(({ text }) => text);

/** The newest message that the person sees and that has this button. */
const withButton = (person: string, channel: string, label: string) =>
  slack
    .as(person)
    .sees(channel)
    .findLast(({ blocks }) => JSON.stringify(blocks).includes(`"text":"${label}"`));

async function press(person: string, channel: string, label: string, action: string): Promise<void> {
  await expect.poll(() => withButton(person, channel, label)).toBeDefined();
  await slack.as(person).press(channel, withButton(person, channel, label)?.ts ?? '', { action });
}

/** The direct message of a person with the app, as Slack opens it. */
async function openDirect(person: string): Promise<{ readonly id: string }> {
  const response = await fetch(`${slack.apiUrl}conversations.open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${slack.token}` },
    body: JSON.stringify({ users: person }),
  });
  return ((await response.json()) as { channel: { id: string } }).channel;
}

const count = (list: readonly string[], part: string) => list.filter((text) => text.includes(part)).length;

describe('the Slack app over Socket Mode', () => {
  it('subscribes a channel after a preview, and says so to everyone in it', async () => {
    await slack.as(ANN).type('team', '/tidings subscribe task.closed');
    await press(ANN, 'team', 'Subscribe', 'tidings:confirm');
    await expect.poll(() => texts(ADMIN, 'team').join()).toContain(`<@${ANN}> subscribed this channel to`);
    await slack.as(ANN).type('team', '/tidings list');
    await expect.poll(() => texts(ANN, 'team').join()).toMatch(/1 subscription.*team/);
  });

  it('asks an admin for what is not offered, and for a guest in a shared channel', async () => {
    await slack.as(GUEST).type('client', '/tidings subscribe task.closed');
    await press(GUEST, 'client', 'Ask an admin', 'tidings:request');
    await expect.poll(() => slack.channels.some(({ direct }) => direct === ADMIN)).toBe(true);
    const direct = slack.channels.find((one) => one.direct === ADMIN)?.id ?? '';
    await press(ADMIN, direct, 'Allow', 'tidings:allow');
    await expect.poll(() => texts(GUEST, 'client').join()).toContain('subscribed this channel to');
  });

  it('says how to invite it to a private channel, and tries again', async () => {
    await slack.as(ADMIN).type('board', '/tidings subscribe task.closed');
    await press(ADMIN, 'board', 'Subscribe', 'tidings:confirm');
    await expect.poll(() => withButton(ADMIN, 'board', 'Try again')).toBeDefined();
    await slack.as(ADMIN).type('board', '/invite @Tidings');
    await press(ADMIN, 'board', 'Try again', 'tidings:confirm');
    await expect.poll(() => texts(ADMIN, 'board').join()).toContain('subscribed this channel to');
  });

  it('subscribes a person in their direct message with it', async () => {
    const direct = (await openDirect(ANN)).id;
    await slack.as(ANN).type(direct, '/tidings subscribe task.closed');
    await press(ANN, direct, 'Subscribe', 'tidings:confirm');
    await expect.poll(() => texts(ANN, direct).join()).toMatch(/subscribed|Done/);
  });

  it('opens the form, keeps it open with what is wrong, and previews what was chosen', async () => {
    const ann = slack.as(ANN);
    await ann.type('general', '/tidings');
    await expect.poll(() => ann.modal()?.type).toBe('modal');
    await ann.submit({ events: ['task.overdue'], conditions: 'projekt:x' });
    await expect.poll(() => Object.keys(ann.modal()?.errors ?? {})).toEqual(['conditions']);
    await ann.submit({ events: ['task.overdue'], conditions: 'project:Website' });
    await expect.poll(() => ann.modal()).toBeUndefined();
    await expect.poll(() => texts(ANN, 'general').join()).toContain('would have brought');
  });

  it('publishes the Home tab when a person opens it', async () => {
    const admin = slack.as(ADMIN);
    await admin.openHome();
    await expect.poll(() => JSON.stringify(admin.home()?.blocks)).toContain('My subscriptions');
    expect(JSON.stringify(admin.home()?.blocks)).toMatch(/\*board-[a-z2-9]{4}\* in <#C00000004>/);
  });

  it('answers a command once although its socket is cut before the acknowledgement', async () => {
    const before = texts(ADMIN, 'general').length;
    slack.app.sockets.dropAfterNextEnvelope();
    await slack.as(ADMIN).type('general', '/tidings list');
    await expect.poll(() => texts(ADMIN, 'general').length).toBe(before + 1);
    expect(count(texts(ADMIN, 'general'), 'failed with the error')).toBe(0);
  });

  it('loses none of 100 commands, while Slack also replaces its sockets', async () => {
    const typed = CROWD.flatMap(({ id }) =>
      Array.from({ length: 5 }, () => slack.as(id).type('general', '/tidings list')),
    );
    slack.app.sockets.announceDisconnect('warning');
    await Promise.all(typed);
    const answers = () => CROWD.map(({ id }) => texts(id, 'general').filter((text) => text !== '').length);
    await expect.poll(answers).toEqual(CROWD.map(() => 5));
    expect(CROWD.flatMap(({ id }) => texts(id, 'general')).join()).not.toContain('failed with the error');
  });
});

describe('the Slack app over HTTP', () => {
  beforeEach(() => {
    slack.app.http.urls = `${serveUrl}/slack`;
  });

  it('answers the challenge, and a command', async () => {
    expect(await slack.app.verifyUrl()).toBe(true);
    const before = texts(ADMIN, 'general').length;
    await slack.as(ADMIN).type('general', '/tidings help');
    expect(texts(ADMIN, 'general').slice(before).join()).toContain('/tidings subscribe');
  });

  it('refuses a copy, a late request and a forged one', async () => {
    await slack.as(ADMIN).type('general', '/tidings help');
    const { http } = slack.app;
    const sent = http.sent.at(-1);
    if (sent === undefined) throw new Error('nothing was sent');
    const status = async (request: typeof sent) => (await http.deliver(request)).status;
    expect(await status(sent)).toBe(401);
    expect(await status(http.sign(sent, { secondsAgo: 400 }))).toBe(401);
    expect(await status(http.sign(sent, { secret: 'guessed' }))).toBe(401);
    expect(await status({ ...sent, body: `${sent.body}&text=unsubscribe+all` })).toBe(401);
  });

  it('acts once on a mention that Slack sends again', async () => {
    const root = slack.messages.find(({ channel }) => channel === slack.channel('team').id)?.ts ?? '';
    await slack.as(ANN).type('team', '@Tidings list', root);
    await slack.app.resendEvent({ attempt: 1, reason: 'http_timeout' });
    const replies = () =>
      slack
        .as(ANN)
        .sees('team')
        .filter(({ threadTs, by }) => threadTs === root && by === 'bot');
    await expect.poll(() => replies().length).toBe(1);
    await slack.as(ANN).type('team', '@Tidings help', root);
    await expect.poll(() => replies().length).toBe(2);
  });
});
