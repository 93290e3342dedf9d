/** What must hold after a storm over the embedded mode, beside what holds everywhere. Changes nothing that counts. */

import type { Delivery } from '../../core/model/delivery.ts';
import { type Clock, DAY, plus } from '../../core/model/time.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { ChangeFeed } from '../../core/ports/snapshot-store.ts';
import type { openHouse } from './storm-house.ts';
import { type Aftermath, judge } from './storm-judge.ts';
import { type Telling, toldAgain } from './storm-tellings.ts';

export interface HouseAftermath extends Omit<Aftermath, 'transitions' | 'placeOf'> {
  readonly queue: Queue;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly house: Pick<ReturnType<typeof openHouse>, 'broken' | 'tellings' | 'output'>;
  /** References to the secrets that the command line made, in their order. */
  readonly rotations: readonly string[];
  /** Comes and goes: may miss what was announced without it. */
  readonly guest: string;
  /** What a chat got whose template names the ids. */
  readonly messages: readonly string[];
  /** Texts that must never appear in any output. */
  readonly secrets: readonly string[];
}

const ALL = 100_000;
const MACHINES = { ops: 'ops', watch: 'watch' };

/** Every line is a broken promise. */
export async function judgeHouse(aftermath: HouseAftermath): Promise<readonly string[]> {
  const { stores, queue, feed, snapshots, clock, house, rotations, guest, messages, secrets } = aftermath;
  const transitions = (await feed.read('judge', ALL)).map(({ transition }) => transition);
  const deliveries = await stores.deliveries.list({ limit: ALL });
  const jobs = await queue.receive({ limit: ALL, visibility: 0 }, plus(clock.now(), DAY));
  const unread = await feed.read('announce', ALL);
  const ops = await stores.subscriptions.get('ops');
  return [
    ...house.broken,
    ...jobs.map(({ job }) => `left on the queue: ${job.group} ${job.delivery}`),
    ...unread.map(({ position }) => `left in the feed: ${position}`),
    ...(await snapshots.due(clock.now(), ALL)).map(({ key, at }) => `left on the agenda: ${key.id} at ${at}`),
    ...(await judge({ ...aftermath, transitions, placeOf: MACHINES })),
    ...toldAgain(house.tellings.filter(({ subscription }) => !(subscription in MACHINES) && subscription !== guest)),
    ...neverTold(deliveries, house.tellings),
    ...notInTheChat(house.tellings, messages),
    ...ofGuest(deliveries.filter(({ subscription }) => subscription === guest)),
    ...(ops?.rotation?.secret === rotations.at(-1)
      ? []
      : [`ops signs with ${ops?.rotation?.secret}, not with ${rotations.at(-1)}`]),
    ...leaks(secrets, house.output(), JSON.stringify(deliveries)),
  ];
}

/** A delivery settled as accepted was sent in a message with all of its events. */
function neverTold(deliveries: readonly Delivery[], tellings: readonly Telling[]): string[] {
  const taken = new Set(tellings.filter(({ wasTaken }) => wasTaken).map(({ delivery }) => delivery));
  return deliveries
    .filter(
      ({ status, attempts, mark }) =>
        status === 'settled' && mark !== 'test' && attempts.at(-1)?.outcome === 'accepted',
    )
    .filter(({ id }) => !taken.has(id))
    .map(({ id, subscription }) => `${subscription}: ${id} is settled and was never sent`);
}

/** Held against the other end. */
function notInTheChat(tellings: readonly Telling[], messages: readonly string[]): string[] {
  const came = new Set(messages.flatMap((text) => text.match(/evt_\w+/g) ?? []));
  return tellings
    .filter(({ subscription, wasTaken }) => subscription === 'chat' && wasTaken)
    .flatMap(({ lines }) => lines)
    .filter((id) => !came.has(id))
    .map((id) => `chat: ${id} never came`);
}

/** Nothing of it hangs in the air, and no event is carried twice. */
function ofGuest(deliveries: readonly Delivery[]): string[] {
  const own = deliveries.filter(({ mark }) => mark === undefined);
  const events = own.flatMap(({ events }) => events);
  return [
    ...own
      .filter(({ status }) => !['settled', 'failed'].includes(status))
      .map(({ id, status }) => `guest: ${id} is ${status}`),
    ...events.filter((id, at) => events.indexOf(id) !== at).map((id) => `guest: ${id} is carried twice`),
  ];
}

function leaks(secrets: readonly string[], ...texts: readonly string[]): string[] {
  return secrets
    .filter((secret) => texts.some((text) => text.includes(secret)))
    .map((secret) => `shown: ${secret.slice(0, 9)}…`);
}
