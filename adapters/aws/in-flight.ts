/**
 * Limits the calls in flight of each AWS client, over all its callers. The others wait here, in order of arrival, and not for
 * one of the SDK's sockets: the SDK's timeouts count that time, and a slow CPU would turn a queue into failures.
 */

/** Below the SDK's limit of 50 sockets per client. */
export const MAX_IN_FLIGHT = 32;

interface Slots {
  free: number;
  readonly waiting: (() => void)[];
}

const slotsByClient = new WeakMap<object, Slots>();

/** Starts the work when fewer than 32 calls of the client are in flight. The time limit of a call is part of its work. */
export async function withinLimit<T>(client: object, work: () => Promise<T>): Promise<T> {
  const slots = slotsOf(client);
  if (slots.free > 0) slots.free -= 1;
  else await new Promise<void>((start) => slots.waiting.push(start));
  try {
    return await work();
  } finally {
    const next = slots.waiting.shift();
    if (next === undefined) slots.free += 1;
    else next();
  }
}

function slotsOf(client: object): Slots {
  const slots = slotsByClient.get(client) ?? { free: MAX_IN_FLIGHT, waiting: [] };
  slotsByClient.set(client, slots);
  return slots;
}
