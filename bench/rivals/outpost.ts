/** Outpost as a contender: one tenant per measurement, its destinations and events by the HTTP API of the server. */

import { randomUUID } from 'node:crypto';
import type { Contender } from './contender.ts';
import { runLoad } from './load.ts';
import { EVENT_TYPE, messageEvent } from './message.ts';
import { openRivalApi } from './rival-api.ts';
import type { RivalSettings } from './settings.ts';

export function outpost(settings: RivalSettings): Contender {
  return {
    name: 'Outpost',
    accept: 'HTTP',
    async check() {
      const api = openRivalApi('Outpost', settings);
      await api.call('GET', '/api/v1/topics').finally(api.close);
    },
    async open(endpoints) {
      const api = openRivalApi('Outpost', settings);
      const tenant = `tidings-bench-${randomUUID()}`;
      const path = `/api/v1/tenants/${tenant}`;
      await api.call('PUT', path);
      for (const url of endpoints) {
        await api.call('POST', `${path}/destinations`, { type: 'webhook', topics: ['*'], config: { url } });
      }
      return {
        pids: settings.pids,
        run: (load) =>
          runLoad(load, async (number) => {
            const data = messageEvent(number, new Date().toISOString());
            const event = { tenant_id: tenant, topic: EVENT_TYPE, eligible_for_retry: true, data };
            return ((await api.call('POST', '/api/v1/publish', event)) as { id: string }).id;
          }),
        async close() {
          await api.call('DELETE', path);
          await api.close();
        },
      };
    },
  };
}
