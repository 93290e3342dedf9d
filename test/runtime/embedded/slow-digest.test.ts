/** A digest that takes minutes to compose, because very many of very large accounts are due at once: it is sent once. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../adapters/sqlite/database.ts';
import { createDigestOpener } from '../../../core/delivery/open-digest.ts';
import { tick } from '../../../core/delivery/tick.ts';
import { announce } from '../../../core/events/announce.ts';
import { QUEUE_GRACE } from '../../../core/model/delivery.ts';
import { HOUR, MINUTE, plus, SECOND } from '../../../core/model/time.ts';
import { computeStage, defaultRules } from '../../../core/snapshot/stage.ts';
import { FUNCTION_SIZES } from '../../../lib/function-sizes.ts';
import { parseConfig } from '../../../runtime/config/load.ts';
import { type Embedded, openEmbedded } from '../../../runtime/embedded/embedded.ts';
import { deliverAll } from '../../../runtime/embedded/pipeline.ts';
import { snapshot } from '../../samples.ts';

/** The minute of the digest. */
const DUE = '2026-11-16T08:30:00.000Z';

let folder: string;
let now: string;
let opened: Embedded[];
let sent: string[];
/** What the timers of attempts in flight call. */
let beats: Set<() => Promise<void>>;

/** One process on the data file. */
async function openProcess(): Promise<Embedded> {
  const config = {
    source: { baseUrl: 'http://127.0.0.1:9/api', token: 'none', timeZone: 'UTC' },
    subscriptions: [
      {
        name: 'team',
        events: ['task.overdue'],
        digest: { at: '08:30' },
        to: { slack: { webhook: 'https://hooks.example.com/x' } },
      },
    ],
  };
  const embedded = await openEmbedded({
    config: parseConfig('test.json', JSON.stringify(config), {}),
    database: openDatabase(join(folder, 'tidings.db')),
    ...{ environment: {}, clock: { now: () => now }, holder: 'test', random: Math.random },
  });
  opened.push(embedded);
  const send = async () => {
    sent.push(now);
    return { status: 200 };
  };
  const keepAlive: Embedded['keepAlive'] = (renew) => {
    beats.add(renew);
    return () => beats.delete(renew);
  };
  return { ...embedded, channelFor: () => ({ send }), keepAlive };
}

/** A process that lists what is open only when it is released. */
function heldUp(embedded: Embedded) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const listOpen: Embedded['snapshots']['listOpen'] = async function* (source, resource) {
    await released;
    yield* embedded.snapshots.listOpen(source, resource);
  };
  return { held: { ...embedded, snapshots: { ...embedded.snapshots, listOpen } }, release };
}

const deliverDue = async (embedded: Embedded) => {
  await tick(embedded);
  await deliverAll(embedded, {});
};

async function commitOverdue(embedded: Embedded, id: string, isAnnounced: boolean): Promise<void> {
  const record = { id, title: `Task ${id}`, status: 'Open', dateclosed: null, datedue: '2026-11-10' };
  const after = snapshot(id, {
    ...{ record, version: 1, committedAt: now, cause: 'poll' },
    ...computeStage('task', record, { timeZone: 'UTC', at: now, rules: defaultRules }),
  });
  await embedded.snapshots.commit([{ snapshot: after, expected: 0 }]);
  if (!isAnnounced) return;
  const before = { ...after, version: 0, stage: { ...after.stage, overdue: false } };
  await announce(embedded, [{ before, after }]);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-slow-digest-'));
  now = plus(DUE, -HOUR);
  [opened, sent, beats] = [[], [], new Set()];
});

afterEach(async () => {
  await Promise.all(opened.map((one) => one.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** @param own events that wait for the digest: with them it is a group, whose id is not that of the job */
async function begin(own: readonly string[]) {
  const [first, second] = [await openProcess(), await openProcess()];
  for (const id of ['1', '2', ...own]) await commitOverdue(first, id, own.includes(id));
  await createDigestOpener(first, ['main'])();
  now = DUE;
  const { held, release } = heldUp(first);
  const composing = deliverDue(held);
  // Until it reads what is open.
  for (let turn = 0; turn < 50; turn++) await new Promise((next) => setImmediate(next));
  return { second, composing, release };
}

describe('a digest that takes five minutes to compose', () => {
  it.each([
    ['alone', []],
    ['with events of its own', ['3', '4']],
  ])('is sent once, %s, however often others look for due deliveries', async (_name, own) => {
    const { second, composing, release } = await begin(own);
    for (let seconds = 0; seconds < 300; seconds += 20) {
      now = plus(now, 20 * SECOND);
      await Promise.all([...beats].map((beat) => beat()));
      await deliverDue(second);
    }
    expect(sent).toEqual([]);
    release();
    await composing;
    await deliverDue(second);
    now = plus(now, 5 * MINUTE);
    await deliverDue(second);
    expect(sent).toEqual([plus(DUE, 5 * MINUTE)]);
    expect(beats.size).toBe(0);
  });

  it('is left to another process after a sleep of the machine', async () => {
    const { second, composing, release } = await begin(['3']);
    now = plus(now, 10 * MINUTE);
    await deliverDue(second);
    expect(sent).toHaveLength(1);
    release();
    await composing;
    expect(sent).toHaveLength(1);
  });

  it('is ended by AWS before another execution may send it', () => {
    expect(FUNCTION_SIZES.deliver.timeoutSeconds * SECOND).toBeLessThan(QUEUE_GRACE);
  });
});
