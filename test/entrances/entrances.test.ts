/**
 * One story of a subscription through every entrance: whoever adds, changes, pauses or removes it, the stores, its health, the
 * audit trail and what is shown are the same, also if the process ends at any write.
 */

import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { changeHealth, readFreshHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { fixedClock } from '../../core/model/time.ts';
import { dataFileOf } from '../../runtime/embedded/data-directory.ts';
import { taskEvent } from '../manage/api-world.ts';
import { NOON } from '../samples.ts';
import { ENTRANCES, type Entrance, LACKS, makeDataFolder, NAME, type Shown, VERBS, type Verb } from './entrances.ts';
import { installKillSwitch, type KillSwitch } from './kill-switch.ts';

/** Facts that an entrance adds to those that every entry has. */
const OWN_DETAILS = ['channel', 'query', 'allowedBy'];

/** What is stored, as far as it does not depend on the entrance. */
function readStored(folder: string, name = NAME) {
  return withStores(folder, async (stores) => {
    const stored = await stores.subscriptions.get(name);
    const { state, muted, snoozes, failingSince } = await readFreshHealth(stores, name);
    const { entries } = await stores.audit.page({ limit: 500 });
    return {
      subscription: stored && {
        events: stored.events,
        isRotated: stored.rotation !== undefined,
        hasAge: stored.declared || stored.createdAt !== undefined,
      },
      health: { state, muted, snoozes, failingSince },
      audit: entries
        .filter(({ target }) => target === `subscription/${NAME}`)
        .map(({ action, outcome = 'made', details = {} }) => ({
          action,
          outcome,
          details: Object.keys(details)
            .filter((key) => !OWN_DETAILS.includes(key))
            .sort(),
        }))
        .reverse(),
    };
  });
}

async function withStores<T>(
  folder: string,
  work: (stores: ReturnType<typeof sqliteStores>) => Promise<T>,
): Promise<T> {
  const database = openDatabase(dataFileOf(folder));
  try {
    return await work(sqliteStores(database));
  } finally {
    database.close();
  }
}

/** A reader unsubscribes by the link in a mail. */
function muteReader(folder: string) {
  return withStores(folder, (stores) =>
    changeHealth({ ...stores, clock: fixedClock(NOON) }, NAME, 'person', (before) => ({
      ...before,
      muted: ['ann@example.com'],
    })),
  );
}

const active = { state: 'ok', muted: [], snoozes: undefined, failingSince: null };
const paused = { ...active, state: 'paused' };

describe.each(Object.entries(ENTRANCES))('%s', (name, open) => {
  let data: ReturnType<typeof makeDataFolder>;
  let entrance: Entrance;
  let killSwitch: KillSwitch;
  const has = (verb: Verb) => LACKS[name]?.includes(verb) !== true;
  const read = () => readStored(data.folder);
  /** The config is its own record of who changed what. */
  const audited = (entries: readonly object[]) =>
    name === 'config' ? entries.filter((entry) => JSON.stringify(entry).match(/paused|resumed/)) : entries;

  beforeAll(async () => {
    // Hono prints the errors of requests whose process ends.
    vi.spyOn(console, 'error').mockImplementation(() => {});
    data = makeDataFolder();
    entrance = await open(data.folder);
    killSwitch = installKillSwitch(dataFileOf(data.folder));
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    killSwitch.close();
    await entrance.stop();
    data.remove();
  });

  it('adds, pauses, removes and adds again: the new one is active, and readers stay unsubscribed', async () => {
    expect(await entrance.show()).toBe('absent');
    await entrance.add();
    expect(await entrance.show()).toBe('active');
    const added = { events: ['task.closed'], isRotated: false, hasAge: true };
    expect(await read()).toMatchObject({ subscription: added, health: active });

    await muteReader(data.folder);
    await entrance.pause();
    expect(await entrance.show()).toBe('paused');
    expect((await read()).health).toEqual({ ...paused, muted: ['ann@example.com'] });

    await entrance.remove();
    expect(await entrance.show()).toBe('absent');
    expect((await read()).subscription).toBeUndefined();

    await entrance.add();
    expect(await entrance.show()).toBe('active');
    const { subscription, health, audit } = await read();
    expect(subscription).toEqual(added);
    expect(health).toEqual({ ...active, muted: ['ann@example.com'] });
    const made = (action: string, ...details: readonly string[]) => ({
      action: `subscription.${action}`,
      outcome: 'made',
      details,
    });
    expect(audit).toEqual(
      audited([
        made('created', 'events', 'to'),
        made('paused'),
        made('removed', 'unsent'),
        made('created', 'events', 'to'),
      ]),
    );
  });

  it('changes it, and keeps its age, its readers and its pause', async () => {
    await entrance.pause();
    await entrance.change();
    // The button in Slack changes the conditions only.
    const events = name === 'Slack app' ? ['task.closed'] : ['task.overdue'];
    expect(await entrance.show()).toBe('paused');
    expect(await read()).toMatchObject({
      subscription: { events, hasAge: true },
      health: { ...paused, muted: ['ann@example.com'] },
    });
    await entrance.resume();
    expect(await entrance.show()).toBe('active');
    const entries = audited([
      { action: 'subscription.paused', outcome: 'made', details: [] },
      { action: 'subscription.changed', outcome: 'made', details: ['fields'] },
      { action: 'subscription.resumed', outcome: 'made', details: ['released'] },
    ]);
    expect((await read()).audit.slice(-entries.length)).toEqual(entries);
  });

  if (has('rotate')) {
    it('rotates its secret', async () => {
      await entrance.rotate();
      const { subscription, audit } = await read();
      expect(subscription?.isRotated).toBe(true);
      const last = { action: 'subscription.rotated', outcome: 'made', details: [] };
      if (name !== 'config') expect(audit.at(-1)).toEqual(last);
    });
  }

  it('sends a test message and a recorded event, and records both, where it can', async () => {
    const event = taskEvent(`evt_${name.replaceAll(/\W/g, '')}`, 'task.overdue');
    await withStores(data.folder, (stores) => stores.events.record([{ event, deliveries: [] }]));
    const before = (await read()).audit.length;
    await entrance.test?.();
    await entrance.resend?.(event.id);
    expect((await read()).audit.slice(before)).toEqual([
      ...(entrance.test ? [{ action: 'subscription.tested', outcome: 'made', details: [] }] : []),
      ...(entrance.resend ? [{ action: 'subscription.replayed', outcome: 'made', details: ['count'] }] : []),
    ]);
  });

  it.each(VERBS.filter(has))(
    '%s, ended at any of its writes, has its entry, and is completed when it is repeated',
    async (verb) => {
      const [action, shown] = OUTCOMES[verb];
      const state = async () => ({ ...(await read()), audit: undefined });
      await prepare(verb);
      const writes = await killSwitch.count(async () => {
        await entrance[verb]();
      });
      const complete = await state();
      expect(await entrance.show()).toBe(shown);
      expect(writes).toBeGreaterThan(name === 'config' ? 0 : 2);
      for (let write = 0; write < writes; write++) {
        await prepare(verb);
        const before = await read();
        killSwitch.arm(write);
        await entrance[verb]().catch(() => {});
        killSwitch.off();
        const after = await read();
        const isChanged = !isDeepStrictEqual({ ...before, audit: 0 }, { ...after, audit: 0 });
        const entries = after.audit.slice(before.audit.length).map((entry) => entry.action);
        if (isChanged && audited([{ action }]).length > 0) expect(entries).toContain(action);
        await entrance.recover?.();
        if (!isDeepStrictEqual(await state(), complete)) await entrance[verb]();
        expect(await state()).toEqual(complete);
        expect(await entrance.show()).toBe(shown);
      }
    },
  );

  if (name === 'config') {
    it('renames it, and keeps its pause and its readers, also if it ends at any of its writes', async () => {
      const after = { ...paused, muted: ['ann@example.com'] };
      const rename = async () => {
        await entrance.rename?.('renamed');
      };
      const prepareRename = async () => {
        await prepare('resume');
        await muteReader(data.folder);
      };
      await prepareRename();
      const writes = await killSwitch.count(rename);
      expect(writes).toBeGreaterThan(2);
      for (let write = 0; write <= writes; write++) {
        await prepareRename();
        killSwitch.arm(write);
        await rename().catch(() => {});
        killSwitch.off();
        await rename();
        expect(await entrance.show()).toBe('absent');
        expect((await readStored(data.folder, 'renamed')).health).toEqual(after);
        await entrance.remove();
      }
    });
  }

  /** Brings the subscription into the state before the verb. */
  async function prepare(verb: Verb): Promise<void> {
    const isThere = (await entrance.show()) !== 'absent';
    if (isThere) await entrance.remove();
    await entrance.add();
    if (verb === 'resume' || verb === 'remove') await entrance.pause();
    if (verb !== 'add') return;
    await entrance.pause();
    await entrance.remove();
  }
});

/** The entry of each verb, and what is shown after it. */
const OUTCOMES: Readonly<Record<Verb, readonly [action: string, shown: Shown]>> = {
  add: ['subscription.created', 'active'],
  change: ['subscription.changed', 'active'],
  pause: ['subscription.paused', 'paused'],
  resume: ['subscription.resumed', 'active'],
  remove: ['subscription.removed', 'absent'],
  rotate: ['subscription.rotated', 'active'],
};
