/**
 * The console of an installation that writes to people: a mailbox, two people with tasks, one of whom unsubscribes, and
 * subscriptions in each state that makes a message wait.
 */

import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { mute } from '../../core/delivery/signing/unsubscribe.ts';
import { announceFeed } from '../../core/events/announce-feed.ts';
import type { Fields } from '../../core/model/record.ts';
import type { Snapshot } from '../../core/model/snapshot.ts';
import { SECOND } from '../../core/model/time.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
import type { ApiWorldOptions } from '../manage/api-world.ts';
import { snapshot } from '../samples.ts';
import { startConsoleWorld } from './console-world.ts';

export type PeopleWorld = Awaited<ReturnType<typeof startPeopleWorld>>;

const person = (id: string, firstname: string, lastname: string, email: string) =>
  snapshot(id, {
    key: { source: 'main', resource: 'person', id },
    record: { id, firstname, lastname, email, active: true },
    cause: 'baseline',
    stage: {},
  });

const WEBHOOK = 'https://hooks.slack.com/services/T0/B0/example';

export async function startPeopleWorld(more: Pick<ApiWorldOptions, 'config' | 'environment' | 'database'> = {}) {
  const mailbox = await startMailbox();
  const world = await startConsoleWorld({
    environment: more.environment ?? {},
    ...(more.database === undefined ? {} : { database: more.database }),
    config: {
      ...more.config,
      source: { baseUrl: 'http://127.0.0.1:9', token: '${TOKEN}', timeZone: 'Europe/Berlin' },
      mail: { from: 'Tidings <tidings@example.com>', smtp: mailbox.smtpUrl },
      subscriptions: [
        { name: 'assignees', events: ['task.closed'], to: { email: { to: 'assignees' } } },
        { name: 'office', events: ['task.closed'], to: { email: { to: ['office@example.com', 'boss@example.com'] } } },
        { name: 'digest', events: ['task.*'], to: { slack: { webhook: WEBHOOK } }, digest: { at: '08:30' } },
        {
          name: 'night',
          events: ['task.closed'],
          to: { slack: { webhook: WEBHOOK } },
          quiet: { from: '12:00', until: '14:00' },
        },
        { name: 'stopped', events: ['task.closed'], to: { slack: { webhook: WEBHOOK } } },
      ],
    },
  });
  const { embedded, ask } = world;
  const { snapshots } = embedded;
  const people = [person('2', 'Ann', 'Lee', 'ann@example.com'), person('3', 'Ben', 'Cole', 'ben@example.com')];
  await snapshots.commit(people.map((one) => ({ snapshot: one, expected: 0 })));
  await ask('POST', '/subscriptions/stopped/pause', {});
  await announceFeed(embedded);

  /** Changes a task: opens the deliveries, and makes the attempts that are due by now. Returns the events. */
  const commitChange = async (id: string, before: Partial<Snapshot>, after: Partial<Snapshot>) => {
    await snapshots.commit([{ snapshot: snapshot(id, { cause: 'baseline', ...before }), expected: 0 }]);
    const changed = snapshot(id, { version: 2, committedAt: world.clock.now(), ...after });
    await snapshots.commit([{ snapshot: changed, expected: 1 }]);
    const events = (await announceFeed(embedded))?.events;
    world.advance(31 * SECOND);
    await world.pump();
    return events ?? [];
  };
  /** A task of both people is closed. Returns the id of the event. */
  const closeTask = async (id: string, change: Fields = {}) => {
    const record = { id, title: `Task ${id}`, status: 'Open', dateclosed: null, assigneeid: ['2', '3'], ...change };
    const closed = { ...record, status: 'Closed', dateclosed: '2026-11-14' };
    const events = await commitChange(id, { record }, { record: closed, stage: { closed: true } });
    return events.find(({ type }) => type === 'task.closed')?.id ?? '';
  };
  /** Fields of a task change. Returns the id of `task.updated`. */
  const changeTask = async (id: string, from: Fields, to: Fields) => {
    const record = { id, title: `Task ${id}`, dateclosed: null };
    // Another task shows what the first status is called.
    const other = snapshot('90', { cause: 'baseline', record: { ...record, id: '90', ...from } });
    await snapshots.commit([{ snapshot: other, expected: 0 }]);
    const events = await commitChange(id, { record: { ...record, ...from } }, { record: { ...record, ...to } });
    return events.find(({ type }) => type === 'task.updated')?.id ?? '';
  };
  const unsubscribe = (subscription: string, address: string) =>
    changeHealth({ snapshots, clock: world.clock }, subscription, 'person', (before) => mute(before, address, false));
  const readers = () => mailbox.mails.flatMap(({ envelope }) => envelope.to);
  const stop = async () => {
    await world.stop();
    await mailbox.close();
  };
  const announce = () => announceFeed(embedded);
  return { ...world, announce, mailbox, readers, closeTask, changeTask, unsubscribe, stop };
}
