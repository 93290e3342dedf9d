/** The doors of the console and of the API in the embedded mode. */

import { expect } from 'vitest';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';
import { type DoorWorld, describeDoors } from './doors.ts';

describeDoors(async (): Promise<DoorWorld> => {
  const world: ConsoleWorld = await startConsoleWorld({
    config: { manage: { url: 'https://tidings.example.com', secret: '${MASTER}', api: { rate: '100000/s' } } },
  });
  return {
    stores: world.api,
    now: world.clock.now,
    async open(scope) {
      const browser = scope === undefined ? world.openBrowser() : await world.logInAs(scope);
      return {
        csrf: scope === undefined ? '' : await browser.csrf(),
        async get(path) {
          const { status, text, location } = await browser.get(path);
          return { status, text, location: location ?? undefined };
        },
        async post(path, { fields = {}, body, headers = {} }) {
          const sent = body?.text ?? new URLSearchParams(fields).toString();
          const type = body?.type ?? 'application/x-www-form-urlencoded';
          const init = { method: 'POST', body: sent, headers: { 'content-type': type, ...headers } };
          const { status, text, location } = await browser.send(path, init);
          return { status, text, location: location ?? undefined };
        },
      };
    },
    async ask(method, path, body) {
      const { status, body: answer } = await world.ask(method, path, body);
      return { status, text: JSON.stringify(answer ?? '') };
    },
    async stop() {
      expect(world.errors).toEqual([]);
      await world.stop();
    },
  };
});
