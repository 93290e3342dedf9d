/**
 * Runs the changes of one channel's subscriptions one at a time, in the order in which people made them: what one reads another does not
 * change meanwhile. Everything else that people have done in the channel goes on. Of one process: stores decide between several.
 */

import type { Instant } from '../../core/model/time.ts';

/** @param at when the person made it. Of those that wait, the earliest is next. */
export type ChangeInTurn = <T>(channel: string, at: Instant, change: () => Promise<T>) => Promise<T>;

interface WaitingChange {
  readonly at: Instant;
  readonly begin: () => Promise<void>;
}

export function createChangeTurns(): ChangeInTurn {
  /** By channel; those without an entry change nothing now. */
  const channels = new Map<string, WaitingChange[]>();
  const serve = async (channel: string, waiting: WaitingChange[]) => {
    while (waiting.length > 0) {
      const earliest = waiting.reduce((first, one) => (one.at < first.at ? one : first));
      waiting.splice(waiting.indexOf(earliest), 1);
      await earliest.begin();
    }
    channels.delete(channel);
  };
  return <T>(channel: string, at: Instant, change: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const entry = { at, begin: () => change().then(resolve, reject) };
      const waiting = channels.get(channel);
      if (waiting !== undefined) {
        waiting.push(entry);
        return;
      }
      const own = [entry];
      channels.set(channel, own);
      void serve(channel, own);
    });
}
