/**
 * The console of an installation that writes to people: a mailbox, two people with tasks, one of whom unsubscribes, and
 * subscriptions in each state that makes a message wait.
 */

import { changeHealth } from '../../core/delivery/receivers/subscription-state.ts';
import { mute } from '../../core/delivery/signing/unsubscribe.ts';
import { announceFeed } from '../../core/events/announce.ts';
import type { Fields } from '../../core/model/record.ts';
import { SECOND } from '../../core/model/time.ts';
import { startMailbox } from '../../simulator/mailbox/mailbox.ts';
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

export async function startPeopleWorld() {
  const mailbox = await startMailbox();
  const world = await startConsoleWorld({
    config: {
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

  /** A task of both people is closed: opens the deliveries, and makes the attempts that are due by now. */
  const closeTask = async (id: string, record: Fields = {}) => {
    const before = snapshot(id, {
      cause: 'baseline',
      record: { id, title: `Task ${id}`, status: 'Open', dateclosed: null, assigneeid: ['2', '3'], ...record },
    });
    const after = snapshot(id, {
      version: 2,
      record: { ...before.record, status: 'Closed', dateclosed: '2026-11-14' },
      stage: { closed: true },
      committedAt: world.clock.now(),
    });
    await snapshots.commit([{ snapshot: before, expected: 0 }]);
    await snapshots.commit([{ snapshot: after, expected: 1 }]);
    const events = await announceFeed(embedded);
    world.advance(31 * SECOND);
    await world.pump();
    return events?.find(({ type, subject }) => type === 'task.closed' && subject === `task/${id}`)?.id ?? '';
  };
  const unsubscribe = (subscription: string, address: string) =>
    changeHealth({ snapshots, clock: world.clock }, subscription, 'person', (before) => mute(before, address, false));
  const readers = () => mailbox.mails.flatMap(({ envelope }) => envelope.to);
  const stop = async () => {
    await world.stop();
    await mailbox.close();
  };
  return { ...world, mailbox, readers, closeTask, unsubscribe, stop };
}
