/**
 * A wire on Node's own modules: it adds next to nothing to what a function has to load, and knows that Lambda stops the
 * process between two calls. Behaves as `undici-wire` does, which is faster where thousands are posted at once.
 */

import { boundAnswer, type Cut, type Exchanged, type ExchangeOptions, type Wire, type WireOptions } from '../wire.ts';
import { wholeTurn } from './line.ts';
import { type Origin, openOrigin } from './origin.ts';

export interface NodeWireOptions extends WireOptions {
  /** Milliseconds on a clock that goes on while the process stands still. @default Date.now */
  readonly now?: () => number;
}

export function openNodeWire({ now = Date.now, ...options }: NodeWireOptions): Wire {
  const origins = new Map<string, Origin>();
  const inHand = new Set<Promise<unknown>>();
  let isClosed = false;

  const originOf = (url: URL): Origin => {
    const origin = origins.get(url.origin) ?? openOrigin(url, { ...options, now });
    origins.set(url.origin, origin);
    return origin;
  };
  const exchange = (options: ExchangeOptions): Promise<Exchanged> => {
    const stopping = new AbortController();
    return boundAnswer(options, (answer) => {
      let cut: Cut = () => {};
      const origin = originOf(options.url);
      const send = async (isAgain: boolean): Promise<void> => {
        // In which lines that were used a moment ago become free.
        await wholeTurn();
        await origin.take(stopping.signal, (line) => {
          cut = line.send(options, answer, (why, butOthers) => {
            // What was not even looked at may be sent again, and once is enough: a receiver that refuses twice is busy.
            if (isAgain && !butOthers) answer.end(why);
            else start(true);
          });
        });
      };
      const start = (isAgain: boolean) => void send(isAgain).catch(answer.end);
      start(false);
      return (reason) => {
        stopping.abort(reason);
        cut(reason);
      };
    });
  };
  return {
    exchange(options) {
      if (isClosed) return Promise.reject(new Error('the wire is closed'));
      const asked = exchange(options);
      const ended = () => inHand.delete(asked);
      inHand.add(asked);
      asked.then(ended, ended);
      return asked;
    },
    async close() {
      isClosed = true;
      for (const origin of origins.values()) origin.letGo();
      await Promise.allSettled(inHand);
      for (const origin of origins.values()) origin.destroy();
    },
  };
}
