/** What must hold after a storm over the embedded mode, in addition to storm-checks.ts. Read-only. */

import { storedId } from '../../adapters/stored-job.ts';
import type { Delivery } from '../../core/model/delivery.ts';
import { type Clock, DAY, plus } from '../../core/model/time.ts';
import type { Queue } from '../../core/ports/queue.ts';
import type { ChangeFeed } from '../../core/ports/snapshot-store.ts';
import { checkStorm, type StormOutcome, withFirstName } from './storm-checks.ts';
import type { openEmbeddedStorm } from './storm-embedded.ts';
import { findRepeated, type SentMessage } from './storm-messages.ts';

export interface EmbeddedStormOutcome extends Omit<StormOutcome, 'transitions' | 'receiverOf'> {
  readonly queue: Queue;
  readonly feed: ChangeFeed;
  readonly clock: Clock;
  readonly embedded: Pick<ReturnType<typeof openEmbeddedStorm>, 'broken' | 'messages' | 'output'>;
  /** References to the secrets that `subscriptions rotate` created, in order. */
  readonly rotations: readonly string[];
  /** A subscription that is added and removed: it gets no events that were announced in its absence. */
  readonly guest: string;
  /** Messages of a chat whose template contains the event ids. */
  readonly messages: readonly string[];
  /** Texts that must never appear in any output. */
  readonly secrets: readonly string[];
}

const ALL = 100_000;
const MACHINES = { ops: 'ops', watch: 'watch' };

/** Returns one line per violation. */
export async function checkEmbeddedStorm(outcome: EmbeddedStormOutcome): Promise<readonly string[]> {
  const { stores, queue, feed, snapshots, clock, embedded, rotations, guest, messages, secrets, renamed } = outcome;
  const transitions = (await feed.read('checks', ALL)).map(({ transition }) => transition);
  const deliveries = await stores.deliveries.list({ limit: ALL });
  const jobs = await queue.receive({ limit: ALL, visibility: 0 }, plus(clock.now(), DAY));
  const unread = await feed.read('announce', ALL);
  const ops = await stores.subscriptions.get(renamed.ops ?? 'ops');
  const sent = embedded.messages.map(withFirstName(renamed));
  return [
    ...embedded.broken,
    ...jobs.map(({ job }) => `left on the queue: ${job.group} ${storedId(job)}`),
    ...unread.map(({ position }) => `left in the feed: ${position}`),
    ...(await snapshots.due({ until: clock.now() }, ALL)).map(
      ({ key, at }) => `left on the agenda: ${key.id} at ${at}`,
    ),
    ...(await checkStorm({ ...outcome, transitions, receiverOf: MACHINES })),
    ...findRepeated(sent.filter(({ subscription }) => !(subscription in MACHINES) && subscription !== guest)),
    ...checkSent(deliveries, sent),
    ...checkChat(sent, messages),
    ...checkGuest(deliveries.filter(({ subscription }) => subscription === guest)),
    ...(ops?.rotation?.secret === rotations.at(-1)
      ? []
      : [`ops signs with ${ops?.rotation?.secret}, not with ${rotations.at(-1)}`]),
    ...findLeaks(secrets, embedded.output(), JSON.stringify(deliveries)),
  ];
}

/** A delivery settled as accepted was sent in a message with all of its events. */
function checkSent(deliveries: readonly Delivery[], sent: readonly SentMessage[]): string[] {
  const taken = new Set(sent.filter(({ wasAccepted: wasTaken }) => wasTaken).map(({ delivery }) => delivery));
  return deliveries
    .filter(
      ({ status, attempts, mark }) =>
        status === 'settled' && mark !== 'test' && attempts.at(-1)?.outcome === 'accepted',
    )
    .filter(({ id }) => !taken.has(id))
    .map(({ id, subscription }) => `${subscription}: ${id} is settled and was never sent`);
}

/** Every message that the channel reported as accepted is in the chat. */
function checkChat(sent: readonly SentMessage[], messages: readonly string[]): string[] {
  const came = new Set(messages.flatMap((text) => text.match(/evt_\w+/g) ?? []));
  return sent
    .filter(({ subscription, wasAccepted: wasTaken }) => subscription === 'chat' && wasTaken)
    .flatMap(({ lines }) => lines)
    .filter((id) => !came.has(id))
    .map((id) => `chat: ${id} never arrived`);
}

/** Every delivery of the guest is settled or failed, and no event is carried twice. */
function checkGuest(deliveries: readonly Delivery[]): string[] {
  const own = deliveries.filter(({ mark }) => mark === undefined);
  const events = own.flatMap(({ events }) => events);
  return [
    ...own
      .filter(({ status }) => !['settled', 'failed'].includes(status))
      .map(({ id, status }) => `guest: ${id} is ${status}`),
    ...events.filter((id, at) => events.indexOf(id) !== at).map((id) => `guest: ${id} is carried twice`),
  ];
}

function findLeaks(secrets: readonly string[], ...texts: readonly string[]): string[] {
  return secrets
    .filter((secret) => texts.some((text) => text.includes(secret)))
    .map((secret) => `leaked: ${secret.slice(0, 9)}…`);
}
