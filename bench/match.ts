/** `match`: the cost of ten times as many subscriptions, which differ by event type or by content. Measures matching only. */

import { compileMatcher } from '../core/filters/match.ts';
import type { TidingsEvent } from '../core/model/event.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { type Benchmark, type Figure, millis, timeBoth } from './bench.ts';

const EVENTS = 200_000;
const TO = { channel: 'http', settings: { url: 'https://ops.example.com', secret: '${SECRET}' } };

export const match: Benchmark = async () => [
  await compareCounts('match', byType),
  await compareCounts('match (where)', byProject),
];

/** Both sizes match the same subscriptions, so the ratio is the cost of those that do not match. */
async function compareCounts(name: string, subscription: (n: number) => Subscription): Promise<Figure> {
  const events = Array.from({ length: EVENTS }, (_, index) => event(index));
  const [few, many] = [100, 1000].map((count) =>
    compileMatcher(Array.from({ length: count }, (_, n) => subscription(n))),
  );
  const time = await timeBoth(
    () => events.map((event) => many?.(event).length),
    () => events.map((event) => few?.(event).length),
  );
  return {
    name,
    ours: `1,000 subscriptions: ${EVENTS} events in ${millis(time.ours)}`,
    floor: `100 subscriptions: ${millis(time.floor)}`,
    ratio: time.ours / time.floor,
    aim: 2,
  };
}

function byType(n: number): Subscription {
  // As in a real account, most subscriptions want other types: one in fifty matches.
  return { name: `s${n}`, events: [n % 50 === 0 ? 'task.*' : `other${n}.*`], to: TO, declared: true };
}

/** All want the type, each another project. */
function byProject(n: number): Subscription {
  const where = { data: { record: { projectid: [`${n}`] } } };
  return { name: `s${n}`, events: ['task.*'], where, to: TO, declared: true };
}

function event(n: number): TidingsEvent {
  const type = n % 2 === 0 ? 'task.closed' : 'task.created';
  const data = {
    version: 1,
    // One of the hundred projects that both sets of subscriptions contain.
    record: { id: `${n}`, title: 'Proofread the newsletter', projectid: `${n % 100}` },
    previous: {},
    changes: [],
    occurred: { after: null, before: '' },
    cause: 'poll' as const,
  };
  const envelope = {
    specversion: '1.0' as const,
    datacontenttype: 'application/json' as const,
    source: '/sources/main',
  };
  return { ...envelope, id: `evt_${n}`, type, subject: `task/${n}`, time: '', data };
}
