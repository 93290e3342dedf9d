/**
 * Renders the templates of one owner one after the other, and leaves as much time to others in between as each has taken. A batch has ten
 * attempts in one thread with a third of a CPU, and a template that was made to be slow takes up to a second of it.
 */

import { setImmediate as nextEventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import type { DeliverPorts } from '../../core/delivery/deliver.ts';
import { templateOutcomeOf } from '../../core/messages/subscription-template.ts';
import type { OutboundMessage } from '../../core/ports/channel.ts';

/** What takes less delays nobody. */
const MIN_PAUSE_MS = 5;

/** Of the event loop, until the template is rendered. It is the first that a channel does; one that is left out has no outcome. */
const MAX_TURNS = 20;

/** Enough for all steps of an attempt of another owner. */
const MAX_PAUSE_MS = 500;

export function paceTemplates(channelFor: DeliverPorts['channelFor']): DeliverPorts['channelFor'] {
  /** By owner: the end of the last rendering, and of the pause after it. */
  const ends = new Map<string, Promise<void>>();
  return (target) => {
    const channel = channelFor(target);
    return {
      async send(message, signal) {
        const { owner, template } = message.subscription;
        if (owner === undefined || template === undefined) return channel.send(message, signal);
        const turn = ends.get(owner) ?? Promise.resolve();
        let isOver = () => {};
        ends.set(owner, new Promise((resolve) => (isOver = resolve)));
        await Promise.race([turn, untilAborted(signal)]);
        if (signal?.aborted === true) {
          void turn.then(isOver);
          throw signal.reason;
        }
        const startedAt = performance.now();
        const sending = channel.send(message, signal);
        void pauseAfter(message, startedAt).then(isOver);
        return sending;
      },
    };
  };
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
}

async function pauseAfter(message: OutboundMessage, startedAt: number): Promise<void> {
  for (let turns = 0; turns < MAX_TURNS && templateOutcomeOf(message) === undefined; turns++) await nextEventLoopTurn();
  const taken = performance.now() - startedAt;
  if (taken >= MIN_PAUSE_MS) await sleep(Math.min(taken, MAX_PAUSE_MS));
}
