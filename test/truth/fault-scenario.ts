/**
 * The scenario of the truth run `faults`: a small account with every kind of subscription, scripted to the minute for a few
 * hours of its own clock. Verbs, ports and SQLite are the real ones.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import { workResourceOf } from '../../adapters/sources/work/resources.ts';
import { type Database, openDatabase } from '../../adapters/sqlite/database.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { Subscription, Target } from '../../core/model/subscription.ts';
import { MINUTE, plus, SECOND } from '../../core/model/time.ts';
import type { Channel, OutboundMessage } from '../../core/ports/channel.ts';
import { defaultRules } from '../../core/snapshot/stage.ts';
import type { PollOptions } from '../../core/source/poll-ports.ts';
import type { Embedded } from '../../runtime/embedded/embedded.ts';
import { handClock, listApi } from '../core/source/list-api.ts';
import { mapStores } from '../map-stores.ts';
import { subscription } from '../samples.ts';
import type { FaultInjector } from './fault-injector.ts';

/** Half an hour before midnight in Auckland: a task due on the 14th is overdue at 11:00 UTC. */
export const START = '2026-11-14T10:30:00.000Z';
const ZONE = 'Pacific/Auckland';

const CHAT = { channel: 'slack', settings: { token: '${BOT}', channel: '#ops' } };
const ACTS = ['task.closed', 'task.created'];
const http = (name: string): Target => ({
  channel: 'http',
  settings: { url: `https://${name}.example.com/`, secret: '${S}' },
});

/** One subscription for each possible outcome of a delivery. */
const SUBSCRIPTIONS: readonly Subscription[] = [
  subscription('flaky', { events: ACTS, to: http('flaky') }),
  subscription('slow', { events: ['task.created'], to: http('slow') }),
  subscription('gone', { events: ACTS, to: http('gone') }),
  subscription('halted', { events: ACTS, to: http('halted') }),
  subscription('halted-chat', {
    events: ACTS,
    to: { channel: 'slack', settings: { webhook: '${HOOK}' } },
    gather: 30 * SECOND,
  }),
  subscription('chat', { events: ACTS, to: CHAT }),
  subscription('night', {
    events: ACTS,
    to: CHAT,
    quiet: { from: '10:00', until: '11:40' },
    timeZone: 'UTC',
  }),
  subscription('digest', {
    events: [...ACTS, 'task.overdue'],
    to: { channel: 'email', settings: { to: ['team@example.com'] } },
    digest: { at: '11:50' },
    timeZone: 'UTC',
  }),
  subscription('watch', { events: ['subscription.*', 'source.*'], to: http('watch') }),
];

/** How often the receiver refuses each event before it accepts it. */
const REFUSALS: Readonly<Record<string, number>> = { flaky: 2, chat: 1 };

/** `slow` accepts nothing before this instant, which is after its fourth attempt in every run. */
const SLOW_UNTIL = plus(START, 100 * MINUTE);

/** A message that reached a receiver. */
interface Arrival {
  readonly message: OutboundMessage;
  readonly accepted: boolean;
}

export type Scenario = ReturnType<typeof openScenario>;

export function openScenario(desk: FaultInjector) {
  const clock = handClock(START);
  const api = listApi(clock);
  const database: Database = openDatabase(':memory:');
  const real = sqliteStores(database);
  const arrivals: Arrival[] = [];
  const channel = desk.watch('channel', receivers(arrivals));
  const snapshots = desk.watch('snapshots', real.snapshots, ['list', 'listOpen']);
  const zones = desk.watch('zones', { of: async () => ZONE });
  const ports = {
    api: desk.watch('api', api, ['requests']),
    snapshots,
    feed: desk.watch('feed', real.snapshots, ['list', 'listOpen']),
    manifests: desk.watch('manifests', real.manifests),
    ...mapStores(real, (store, name) => desk.watch(name, store)),
    finishJob: desk.watch('jobs', { finishJob: real.finishJob }).finishJob,
    queue: desk.watch('queue', real.queue),
    clock,
    random: () => 0.5,
    rules: defaultRules,
    customEvents: [],
    zoneOf: zones.of,
    channels: channelRegistry,
    channelFor: () => channel,
  };
  /** The write of the embedded mode. Without it, `announceFeed` writes as in AWS. */
  const { recordAndSend } = desk.watch('announcements', {
    async recordAndSend(...[announcements, jobs, now, processed]: Parameters<Embedded['recordAndSend']>) {
      const take = { limit: 0, visibility: 0, room: () => 0 };
      await real.recordAndTake(announcements, jobs, now, processed === undefined ? { take } : { take, processed });
    },
  });
  const order: PollOptions = {
    source: 'main',
    baseUrl: 'https://work.example.com/api',
    resources: [{ resource: workResourceOf('task'), cadence: { every: 5 * MINUTE, sweep: 60 * MINUTE } }],
    rules: defaultRules,
    timeZone: ZONE,
    reserve: 0.2,
  };
  const found = async () => {
    await real.subscriptions.applyDeclared(SUBSCRIPTIONS);
    for (const id of ['1', '2', '3', '4', '5']) api.put(id, task(id));
    api.put('6', { ...task('6'), datedue: '2026-11-14' });
  };
  return { clock, api, ports, recordAndSend, order, real, arrivals, found, close: () => database.close() };
}

function task(id: string): Record<string, unknown> {
  return { localid: id, title: `Task ${id}`, statusid: '1', status: 'Open', dateclosed: '', datedue: '' };
}

/** All receivers behind one channel. The name of the subscription determines how a receiver responds. */
function receivers(arrivals: Arrival[]): Channel {
  const arrive = (message: OutboundMessage, accepted: boolean) => {
    arrivals.push({ message, accepted });
  };
  return {
    async send(message) {
      const { name } = message.subscription;
      const [first] = message.events;
      if (name === 'gone') {
        arrive(message, false);
        throw new GiveUp('TIDINGS_HTTP_GONE', 'gone.example.com answered 410', { gone: true });
      }
      const before = arrivals.filter(
        ({ message: { subscription, events } }) => subscription.name === name && events[0].id === first.id,
      );
      const accepted = name === 'slow' ? message.at >= SLOW_UNTIL : before.length >= (REFUSALS[name] ?? 0);
      arrive(message, accepted);
      if (!accepted) throw new RetryLater('TIDINGS_HTTP_STATUS', `${name}.example.com answered 500`);
      return { status: 200, ...(name === 'chat' ? { thread: `thread of ${first.subject}` } : {}) };
    },
  };
}

/** Actions of people in one minute: in the account and on subscriptions. */
export interface ScriptedAction {
  readonly minute: number;
  readonly close?: readonly string[];
  readonly create?: string;
  readonly pause?: readonly string[];
  readonly resume?: readonly string[];
  /** Subscriptions that get a replay of all closings so far. */
  readonly replay?: readonly string[];
}

export const SCRIPT: readonly ScriptedAction[] = [
  { minute: 7, close: ['1', '2'] },
  { minute: 12, create: '7' },
  { minute: 22, close: ['3', '4'] },
  // In minutes in which deliveries are due.
  { minute: 25, pause: ['halted', 'halted-chat'] },
  { minute: 37, close: ['6'] },
  { minute: 52, close: ['5'] },
  { minute: 55, resume: ['halted', 'halted-chat'], replay: ['halted', 'night'] },
];

export function changeAccount({ api }: Scenario, { close = [], create }: ScriptedAction): void {
  for (const id of close) api.put(id, { statusid: '7', status: 'Closed', dateclosed: '2026-11-14' });
  if (create !== undefined) api.put(create, task(create));
}
