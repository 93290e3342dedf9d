/**
 * A delivery as the API and the console show it: who reads it, why it waits, and why it was skipped. A caller that may not
 * see people gets their ids only.
 */

import { type DeliveryReader, describeReader } from '../../core/delivery/describe-reader.ts';
import { type Delay, type ExplainWaitPorts, explainWait } from '../../core/delivery/explain-wait.ts';
import { healthKey } from '../../core/delivery/receivers/health.ts';
import { createByteBudget, MAX_RESPONSE_BYTES } from '../../core/model/byte-budget.ts';
import { type Attempt, type Delivery, skipReason } from '../../core/model/delivery.ts';
import { OWN_SOURCE, type TidingsEvent } from '../../core/model/event.ts';
import { memoize } from '../../core/model/memoize.ts';
import type { RecordKey } from '../../core/model/record.ts';
import { createZoneLookup } from '../../runtime/zones.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { type Caller, seesAll, seesRecords } from './http/caller.ts';

export interface DeliveryView extends Omit<Delivery, 'slot' | 'incarnation'> {
  /** The only reader; null: all receivers of the subscription. */
  readonly reader: DeliveryReader | null;
  /** Why it is not attempted now; null: it is over, or is due now. */
  readonly wait: Delay | null;
  /** Why it was settled without being sent; null: it was sent, or is not settled. */
  readonly skipped: string | null;
}

interface ViewPorts extends Pick<ApiPorts, 'snapshots' | 'events' | 'subscriptions' | 'channels' | 'clock'> {
  readonly config: Pick<ApiPorts['config'], 'sources'>;
}

/** In the same order. Reads each subscription, health and event once. */
export async function viewDeliveries(
  api: ViewPorts,
  caller: Caller,
  deliveries: readonly Delivery[],
): Promise<readonly DeliveryView[]> {
  const waitPorts = await cacheReads(api, deliveries);
  const subscriptionOf = memoize((name: string) => api.subscriptions.get(name));
  const mayName = seesRecords(caller, 'person');
  return Promise.all(
    deliveries.map(async ({ slot, incarnation: _, ...delivery }) => {
      const subscription = await subscriptionOf(delivery.subscription);
      const reader =
        delivery.person === undefined ? null : await describeReader(api, delivery.person, subscription?.to);
      const view: DeliveryView = {
        ...delivery,
        reader,
        wait:
          (await explainWait(waitPorts, slot === undefined ? delivery : { ...delivery, slot }, subscription)) ?? null,
        skipped: skipReason(delivery) ?? null,
      };
      const shown = mayName ? view : withoutPeople(view);
      return seesAll(caller) ? shown : withoutOwnFaults(shown);
    }),
  );
}

/**
 * All deliveries of an event, in the same order. A key with a thousand subscriptions decides how large the responses in them are: of those
 * that would make the answer too large only the last attempt is shown, without its response.
 */
export async function viewDeliveriesOfEvent(
  api: ViewPorts,
  caller: Caller,
  deliveries: readonly Delivery[],
): Promise<readonly DeliveryView[]> {
  const fits = createByteBudget(MAX_RESPONSE_BYTES / 2);
  return (await viewDeliveries(api, caller, deliveries)).map((view) =>
    fits(view) ? view : { ...view, attempts: view.attempts.slice(-1).map(({ body: _, ...attempt }) => attempt) },
  );
}

export async function viewDelivery(api: ViewPorts, caller: Caller, delivery: Delivery): Promise<DeliveryView> {
  const [view] = await viewDeliveries(api, caller, [delivery]);
  if (view === undefined) throw new Error(`delivery '${delivery.id}' has no view`);
  return view;
}

/** What a mail server or an error says of a personal delivery may name its reader. */
function withoutPeople(view: DeliveryView): DeliveryView {
  if (view.reader === null) return view;
  const hide = ({ message: _, body: __, reached: ___, ...attempt }: Attempt): Attempt => attempt;
  return {
    ...view,
    reader: { person: view.reader.person, name: null, address: null },
    attempts: view.attempts.map(hide),
    wait: view.wait && { because: view.wait.because, until: view.wait.until },
  };
}

/** A fault of our own may name secrets, files, roles and accounts of the installation. Its code stays. */
function withoutOwnFaults(view: DeliveryView): DeliveryView {
  const { attempts, wait } = view;
  if (attempts.every(({ ownFault }) => ownFault === undefined)) return view;
  const hide = (attempt: Attempt): Attempt => {
    if (attempt.ownFault === undefined) return attempt;
    const { message: _, body: __, ...rest } = attempt;
    return rest;
  };
  const last = attempts.at(-1);
  const isOfLast = wait?.because === 'retry' && last?.ownFault !== undefined;
  return {
    ...view,
    attempts: attempts.map(hide),
    wait: isOfLast ? { ...wait, ...(last.code === undefined ? {} : { reason: last.code }) } : wait,
  };
}

async function cacheReads(api: ViewPorts, deliveries: readonly Delivery[]): Promise<ExplainWaitPorts> {
  const { snapshots, events, config } = api;
  const waiting = deliveries.filter(({ status }) => status === 'waiting' || status === 'pending');
  const first = await events.getMany([...new Set(waiting.flatMap((one) => one.events.slice(0, 1)))]);
  const known = new Map<string, TidingsEvent>(first.map((event) => [event.id, event]));
  const recall = memoize((name: string) => snapshots.get(healthKey(name)));
  const get = (key: RecordKey) => (key.source === OWN_SOURCE ? recall(key.id) : snapshots.get(key));
  const getMany = async (ids: readonly string[]) =>
    ids.every((id) => known.has(id)) ? ids.flatMap((id) => known.get(id) ?? []) : events.getMany(ids);
  return {
    ...api,
    snapshots: { get },
    events: { getMany },
    zoneOf: memoize(createZoneLookup(config.sources, snapshots)),
  };
}
