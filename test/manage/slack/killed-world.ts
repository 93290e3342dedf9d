/** A process that dies at one of its writes: from then on it writes and posts nothing. */

import type { SlackPorts } from '../../../manage/slack/slack-ports.ts';

const WRITES = ['add', 'update', 'save', 'remove', 'commit', 'begin', 'finish', 'record', 'append'];

/** @param writes how many succeed before */
export function dyingPorts(ports: SlackPorts, writes: number): { readonly ports: SlackPorts; isDead(): boolean } {
  let made = 0;
  const dieAt = <T extends object>(store: T): T =>
    new Proxy(store, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function' || !WRITES.includes(String(key))) return method;
        return async (...given: unknown[]) => {
          if (++made > writes) throw new Error('killed');
          return Reflect.apply(method, target, given);
        };
      },
    });
  const { documents, subscriptions, snapshots, audit, http, slack } = ports;
  const dieBefore = async <T>(write: () => Promise<T>): Promise<T> => {
    if (made > writes) throw new Error('killed');
    return write();
  };
  return {
    isDead: () => made > writes,
    ports: {
      ...ports,
      documents: dieAt(documents),
      subscriptions: dieAt(subscriptions),
      snapshots: dieAt(snapshots),
      audit: dieAt(audit),
      http: { post: (...given) => dieBefore(() => http.post(...given)) },
      slack: { ...slack, call: (...given) => dieBefore(() => slack.call(...given)) },
      openSourceAs: async (source, token) => dieAt(await ports.openSourceAs(source, token)),
    },
  };
}
