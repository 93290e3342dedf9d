/** Svix as a contender: one application per measurement, its endpoints and messages by the HTTP API of the server. */

import type { Contender } from './contender.ts';
import { runLoad } from './load.ts';
import { EVENT_TYPE, messageEvent } from './message.ts';
import { openRivalApi } from './rival-api.ts';
import type { RivalSettings } from './settings.ts';

export function svix(settings: RivalSettings): Contender {
  return {
    name: 'Svix',
    accept: 'HTTP',
    async check() {
      const api = openRivalApi('Svix', settings);
      await api.call('GET', '/api/v1/app?limit=1').finally(api.close);
    },
    async open(endpoints) {
      const api = openRivalApi('Svix', settings);
      const application = (await api.call('POST', '/api/v1/app', { name: 'tidings bench' })) as { id: string };
      const path = `/api/v1/app/${application.id}`;
      for (const url of endpoints) await api.call('POST', `${path}/endpoint`, { url });
      return {
        pids: settings.pids,
        run: (load) =>
          runLoad(load, async (number) => {
            const payload = messageEvent(number, new Date().toISOString());
            // As its own client calls it: the response does not repeat the payload.
            const message = await api.call('POST', `${path}/msg?with_content=false`, {
              eventType: EVENT_TYPE,
              payload,
            });
            return (message as { id: string }).id;
          }),
        async close() {
          await api.call('DELETE', path);
          await api.close();
        },
      };
    },
  };
}
