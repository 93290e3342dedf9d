/**
 * The order in which an SQS fair queue gives messages to consumers, on virtual time, as "How Amazon SQS fair queues work" in the
 * Amazon SQS Developer Guide describes it: a tenant with more than 10 % of the messages in flight, and at least 30 of them, is
 * noisy; messages of quiet tenants come first; of noisy tenants the one with the fewest in flight comes first. The share of
 * the processing time, the second measure of SQS, is left out: it only makes noisy tenants noisy sooner.
 */

const NOISY_SHARE = 0.1;
const NOISY_COUNT = 30;

export interface FairMessage {
  /** The `MessageGroupId`. */
  readonly tenant: string;
  readonly body: string;
  /** How long its consumer is busy with it. */
  readonly seconds: number;
}

export interface Consumers {
  /** Batches that are processed at a time. */
  readonly concurrency: number;
  /** Messages of a batch, which ends when the last of them is processed. */
  readonly batchSize: number;
}

/** Returns the seconds that each message waited for a consumer. The messages arrive at once, in this order. */
export function measureWaits(
  messages: readonly FairMessage[],
  { concurrency, batchSize }: Consumers,
): ReadonlyMap<FairMessage, number> {
  const waiting = new Map<string, FairMessage[]>();
  for (const one of messages) waiting.set(one.tenant, [...(waiting.get(one.tenant) ?? []), one]);
  const arrival = new Map(messages.map((one, index) => [one, index]));
  const inFlight = new Map<string, number>();
  const running: { readonly endsAt: number; readonly batch: readonly FairMessage[] }[] = [];
  const waits = new Map<FairMessage, number>();
  let now = 0;
  const count = (tenant: string) => inFlight.get(tenant) ?? 0;
  const take = (): FairMessage | undefined => {
    const total = [...inFlight.values()].reduce((sum, one) => sum + one, 0);
    const isNoisy = (tenant: string) => count(tenant) >= NOISY_COUNT && count(tenant) > total * NOISY_SHARE;
    const heads = [...waiting.values()].flatMap(([head]) => head ?? []);
    const quiet = heads.filter(({ tenant }) => !isNoisy(tenant));
    const order = (one: FairMessage) => (quiet.length > 0 ? (arrival.get(one) ?? 0) : count(one.tenant));
    const [next] = (quiet.length > 0 ? quiet : heads).toSorted((a, b) => order(a) - order(b));
    if (next === undefined) return undefined;
    const rest = waiting.get(next.tenant)?.slice(1) ?? [];
    if (rest.length === 0) waiting.delete(next.tenant);
    else waiting.set(next.tenant, rest);
    inFlight.set(next.tenant, count(next.tenant) + 1);
    waits.set(next, now);
    return next;
  };
  while (waits.size < messages.length) {
    while (running.length < concurrency && waiting.size > 0) {
      const batch = Array.from({ length: batchSize }, take).flatMap((one) => one ?? []);
      running.push({ endsAt: now + Math.max(...batch.map(({ seconds }) => seconds)), batch });
    }
    running.sort((a, b) => a.endsAt - b.endsAt);
    const ended = running.shift();
    if (ended === undefined) break;
    now = ended.endsAt;
    for (const { tenant } of ended.batch) inFlight.set(tenant, count(tenant) - 1);
  }
  return waits;
}
