import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { localSecrets } from '../../adapters/secrets/local-secrets.ts';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteSnapshotStore } from '../../adapters/sqlite/snapshot-store.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { changeHealth, readHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { unsubscribeToken } from '../../core/delivery/signing/unsubscribe.ts';
import { deriveEvents } from '../../core/events/derive.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import { fixedClock } from '../../core/model/time.ts';
import type { DatabaseStores } from '../../core/ports/database-stores.ts';
import type { ChangeFeed, SnapshotStore } from '../../core/ports/snapshot-store.ts';
import { manageApp } from '../../manage/app.ts';
import { peopleSubscription } from '../pictures/sample-messages.ts';
import { NOON, subscription } from '../samples.ts';

const clock = fixedClock(NOON);
const SECRET = 'sixteen characters or more';
const reader = { subscription: 'morning', address: 'ann@example.com' };
const token = unsubscribeToken(reader, SECRET);

let app: ReturnType<typeof manageApp>;
let stores: DatabaseStores;
let snapshots: SnapshotStore & ChangeFeed;

beforeEach(async () => {
  const db = openDatabase(':memory:');
  stores = sqliteStores(db);
  snapshots = sqliteSnapshotStore(db);
  const secrets = localSecrets({ environment: { MANAGE_SECRET: SECRET }, directory: '' });
  const trail = { audit: stores.audit, randomBytes };
  const unsubscribe = { snapshots, secrets, secret: '${MANAGE_SECRET}', trail, requestLimiter: stores.requestLimiter };
  app = manageApp({ ...stores, clock, sources: [], unsubscribe });
  const to = ['ann', 'ben', 'bob'].map((name) => `${name}@example.com`);
  await stores.subscriptions.applyDeclared([
    { ...peopleSubscription('morning'), to: { channel: 'email', settings: { to } } },
  ]);
});

const ask = async (method: string, path: string, body?: URLSearchParams | FormData) => {
  const response = await app.request(path, { method, ...(body === undefined ? {} : { body }) });
  return { status: response.status, headers: response.headers, text: await response.text() };
};

const muted = async (name = 'morning') => (await readHealth({ snapshots }, name)).muted;

describe('an unsubscribe link', () => {
  it('is in the audit trail once, also if it is used twice, with the way back', async () => {
    await ask('POST', `/unsubscribe/${token}`);
    await ask('POST', `/unsubscribe/${token}`);
    await ask('POST', `/subscribe/${token}`);
    const { entries } = await stores.audit.page({ limit: 10 });
    expect(entries.map(({ action, target, by, details }) => ({ action, target, by, details })).toReversed()).toEqual(
      ['reader.unsubscribed', 'reader.resubscribed'].map((action) => ({
        action,
        target: 'subscription/morning',
        by: { kind: 'reader', id: 'ann@example.com' },
        details: { address: 'ann@example.com' },
      })),
    );
  });

  it('cannot fill the data file: a reader who goes back and forth can soon only unsubscribe', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 8; n++) {
      expect((await ask('POST', `/unsubscribe/${token}`)).status).toBe(200);
      statuses.push((await ask('POST', `/subscribe/${token}`)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
    expect((await ask('POST', `/subscribe/${token}`)).text).toContain('Please wait an hour');
    expect(await muted()).toEqual(['ann@example.com']);
    expect((await stores.audit.page({ limit: 100 })).entries).toHaveLength(11);
    const other = unsubscribeToken({ ...reader, address: 'bob@example.com' }, SECRET);
    await ask('POST', `/unsubscribe/${other}`);
    expect((await ask('POST', `/subscribe/${other}`)).status).toBe(200);
  });

  it('shows a button and changes nothing, because link checkers open every link', async () => {
    const { status, text } = await ask('GET', `/unsubscribe/${token}`);
    expect(status).toBe(200);
    expect(text).toContain('<strong>ann@example.com</strong> gets mail from <strong>morning</strong>');
    expect(text).toContain(`<form method="post" action="../unsubscribe/${token}"><button>Unsubscribe</button></form>`);
    expect((await ask('HEAD', `/unsubscribe/${token}`)).status).toBe(200);
    expect(await muted()).toEqual([]);
  });

  it('unsubscribes once, however often the button is pressed', async () => {
    for (let times = 0; times < 3; times++) {
      const { status, text } = await ask('POST', `/unsubscribe/${token}`, new URLSearchParams());
      expect(status).toBe(200);
      expect(text).toContain('You are unsubscribed');
    }
    expect(await muted()).toEqual(['ann@example.com']);
    const { text } = await ask('GET', `/unsubscribe/${token}`);
    expect(text).toContain('no longer gets');
    expect(text).toContain('Subscribe again');
  });

  it('unsubscribes on the one-click request of a mail client, in either form encoding', async () => {
    const multipart = new FormData();
    multipart.set('List-Unsubscribe', 'One-Click');
    expect((await ask('POST', `/unsubscribe/${token}`, multipart)).status).toBe(200);
    expect(await muted()).toEqual(['ann@example.com']);
    const other = unsubscribeToken({ ...reader, address: 'ben@example.com' }, SECRET);
    await ask('POST', `/unsubscribe/${other}`, new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }));
    expect(await muted()).toEqual(['ann@example.com', 'ben@example.com']);
  });

  it('can be undone', async () => {
    await ask('POST', `/unsubscribe/${token}`);
    const { text } = await ask('POST', `/subscribe/${token}`);
    expect(text).toContain('You are subscribed again');
    expect(await muted()).toEqual([]);
    expect((await ask('POST', `/subscribe/${token}`)).status).toBe(200);
  });

  it('is not undone by a GET request', async () => {
    await ask('POST', `/unsubscribe/${token}`);
    expect((await ask('GET', `/subscribe/${token}`)).status).toBe(404);
    expect(await muted()).toEqual(['ann@example.com']);
  });

  it('causes no event', async () => {
    await ask('POST', `/unsubscribe/${token}`);
    const batch = await snapshots.read('announce', 10);
    expect(batch.length).toBeGreaterThan(0);
    expect(batch.flatMap(({ transition }) => deriveEvents(transition))).toEqual([]);
  });

  it('keeps every page out of caches, search engines and frames, and blocks scripts', async () => {
    for (const path of [`/unsubscribe/${token}`, '/unsubscribe/nonsense']) {
      const { headers } = await ask('GET', path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});

describe('a page', () => {
  const mails = (to: string | readonly string[], change: Partial<Subscription> = {}) =>
    stores.subscriptions.save(subscription('morning', { to: { channel: 'email', settings: { to } }, ...change }));
  /** Title and sentence of each page, without tags. */
  const pages = async () => {
    const links = [
      ['GET', 'unsubscribe'],
      ['POST', 'unsubscribe'],
      ['POST', 'subscribe'],
    ] as const;
    const shown: string[] = [];
    for (const [method, verb] of links) {
      const { status, text } = await ask(method, `/${verb}/${token}`);
      const [, title, sentence = ''] = /<h1>(.*?)<\/h1><p>(.*?)<\/p>/.exec(text) ?? [];
      shown.push(`${status} ${title}: ${sentence.replaceAll(/<[^>]+>/g, '')}`);
    }
    return shown;
  };
  const expectNothingWritten = async () => {
    expect(await muted()).toEqual([]);
    expect((await stores.audit.page({ limit: 1 })).entries).toEqual([]);
  };

  it('says of a list and of a personal subscription who gets what', async () => {
    await mails(['Ann@example.com', 'ben@example.com']);
    expect(await pages()).toEqual([
      '200 Unsubscribe?: ann@example.com gets mail from morning.',
      '200 You are unsubscribed: ann@example.com no longer gets mail from morning.',
      '200 You are subscribed again: ann@example.com gets mail from morning.',
    ]);
    await mails('assignees');
    expect((await pages())[0]).toBe(
      '200 Unsubscribe?: ann@example.com gets mail from morning about what concerns them.',
    );
  });

  it.each(['paused', 'disabled'] as const)('says that nothing is sent while the subscription is %s', async (state) => {
    await mails(['ann@example.com']);
    await changeHealth({ snapshots, clock }, 'morning', 'person', (before) => ({ ...before, state }));
    const sentence = 'ann@example.com gets mail from morning when it is resumed: it sends none now.';
    expect(await pages()).toEqual([
      `200 Unsubscribe?: ${sentence}`,
      '200 You are unsubscribed: ann@example.com no longer gets mail from morning.',
      `200 You are subscribed again: ${sentence}`,
    ]);
  });

  it('says of an address that was taken out of the list that it is no reader, and writes nothing', async () => {
    await mails(['ben@example.com']);
    const page = '200 No mail is sent to you: ann@example.com is not among the readers of morning.';
    expect(await pages()).toEqual([page, page, page]);
    await expectNothingWritten();
  });

  it.each([
    ['has expired', { expiresAt: NOON }],
    ['sends no mail any more', { to: { channel: 'http', settings: { url: 'https://example.com', secret: '${S}' } } }],
  ])('does not exist if the subscription %s, and writes nothing', async (_, change) => {
    await mails(['ann@example.com'], change);
    const page = '404 Page not found: This link is not valid, or no longer valid.';
    expect(await pages()).toEqual([page, page, page]);
    await expectNothingWritten();
  });
});

describe('an invalid link', () => {
  it('shows the same page if it was guessed or changed, or its subscription was removed', async () => {
    const tokens = [
      'nonsense',
      `${token}x`,
      unsubscribeToken(reader, 'another secret of theirs'),
      unsubscribeToken({ ...reader, subscription: 'unknown' }, SECRET),
    ];
    const answers = await Promise.all(
      tokens.flatMap((wrong) => [
        ask('GET', `/unsubscribe/${wrong}`),
        ask('POST', `/unsubscribe/${wrong}`),
        ask('POST', `/subscribe/${wrong}`),
      ]),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.text).not.toMatch(/ann|morning|unknown/);
    expect(await muted()).toEqual([]);
    expect(await muted('unknown')).toEqual([]);
  });

  it('does not exist if the config has no manage section', async () => {
    const plain = manageApp({ ...stores, clock, sources: [] });
    expect((await plain.request(`/unsubscribe/${token}`)).status).toBe(404);
    expect((await plain.request('/health')).status).toBe(200);
  });

  it('escapes any address', async () => {
    const odd = unsubscribeToken({ ...reader, address: '"><script>x</script>' }, SECRET);
    const { text } = await ask('GET', `/unsubscribe/${odd}`);
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
    expect(text).not.toContain('<script');
  });
});
