/** `tidings verify --aws`: a synthetic change travels through the functions of an emulated stack, and leaves nothing behind. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../core/model/time.ts';
import { readVerification, requestVerification, VERIFICATION_KEY } from '../../runtime/aws/verification.ts';
import { runCommand } from '../cli/run-command.ts';
import { captureOutput } from '../functions/lambda-call.ts';
import { OPS } from '../functions/world.ts';
import { SECRET, subscription } from '../samples.ts';
import { type Account, startAccount } from './aws-account.ts';
import { type Receiver, startReceiver } from './receiver.ts';

let account: Account;
let receiver: Receiver;
/** Events of the first sync. */
let recorded: readonly string[];
beforeEach(async () => {
  receiver = await startReceiver(SECRET);
  account = await startAccount(receiver.url);
  // It gets every event.
  const to = { channel: 'http', settings: { url: receiver.url, secret: OPS } };
  await account.world.stores.subscriptions.save(subscription('all', { events: ['*'], declared: false, to }));
  recorded = await listEvents();
  captureOutput();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await account.stop();
  await receiver.close();
});

const ports = () => ({ ...account.world.stores, clock: account.world.clock });

const listEvents = async () => (await ports().events.list({ limit: 99 })).events.map(({ type }) => type);

/** Schedule, stream and queue, once. */
async function runStack(): Promise<void> {
  const { clock, functions } = account.world;
  clock.advance(2 * SECOND);
  await functions.poll();
  const records = account.world.changes();
  if (records.length > 0) await functions.announce(records);
  await account.drain();
}

async function expectNothingLeft(): Promise<void> {
  const { stores } = account.world;
  expect(await stores.documents.get('verification', 'current')).toBeUndefined();
  expect(await stores.snapshots.get(VERIFICATION_KEY)).toBeUndefined();
  expect(await listEvents()).toEqual(recorded);
  expect(await stores.deliveries.list({ limit: 99 })).toEqual([]);
  expect(receiver.events).toEqual([]);
  expect(account.world.queues.waiting()).toEqual([]);
}

describe('verify', () => {
  it('prints the time of each step, and leaves no event, delivery, record or request', async () => {
    const ended = account.run('verify');
    await vi.waitUntil(async () => (await ports().documents.get('verification', 'current')) !== undefined, {
      timeout: 20_000,
    });
    await runStack();
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replaceAll(/ +\d+\.\d s/g, ' T')).toBe(
      [
        '✔ T  poll ran and committed the change',
        '✔ T  the stream brought it to announce',
        '✔ T  announce queued a job',
        '✔ T  deliver handed it to the built-in receiver',
        '✔  Tidings works; the change was removed\n',
      ].join('\n'),
    );
    await expectNothingLeft();
  });

  it('says which step is missing and where to look, and leaves nothing either', async () => {
    const { code, stdout, stderr } = await account.run('verify', '--timeout', '1s');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(
      "not within 1s: poll ran and committed the change; see 'Nothing is read' in docs/runbook.md",
    );
    await runStack();
    await expectNothingLeft();
  });

  it('prints JSON', async () => {
    const ended = account.run('verify', '--json');
    await vi.waitUntil(async () => (await ports().documents.get('verification', 'current')) !== undefined, {
      timeout: 20_000,
    });
    await runStack();
    const at = expect.stringMatching(/Z$/);
    expect(JSON.parse((await ended).stdout)).toEqual({
      stack: 'Tidings',
      ok: true,
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      requestedAt: at,
      committedAt: at,
      announcedAt: at,
      queuedAt: at,
      deliveredAt: at,
    });
  });

  it('needs a stack', async () => {
    expect(await runCommand(['verify'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--aws STACK') });
  });
});

describe('a verification', () => {
  it('that was killed is removed by the next one', async () => {
    await requestVerification(ports(), 'killed');
    await runStack();
    expect(await readVerification(ports(), 'killed')).toMatchObject({ deliveredAt: expect.any(String) });
    const ended = account.run('verify');
    await vi.waitUntil(async () => (await readVerification(ports(), 'killed')) === undefined, { timeout: 20_000 });
    await runStack();
    expect((await ended).code).toBe(0);
    await expectNothingLeft();
  });

  it('is committed, announced and received once, however often each step runs', async () => {
    await requestVerification(ports(), 'one');
    const { functions } = account.world;
    await functions.poll();
    const records = account.world.changes();
    await functions.poll();
    expect(records).toHaveLength(1);
    expect(account.world.changes()).toEqual([]);
    await functions.announce(records);
    const first = await readVerification(ports(), 'one');
    await functions.announce(records);
    await account.drain();
    expect(await readVerification(ports(), 'one')).toMatchObject({ ...first });
    expect(receiver.events).toEqual([]);
  });

  it('that nobody removed is not committed after an hour', async () => {
    await requestVerification(ports(), 'old');
    account.world.clock.advance(2 * 3600 * SECOND);
    await account.world.functions.poll();
    expect(await readVerification(ports(), 'old')).not.toHaveProperty('committedAt');
  });
});
