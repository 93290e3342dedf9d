/** Pipedream: the hooks `deploy`, `activate` and `deactivate` with `this.http.endpoint` and `this.db`, and `run` with the raw body. */

import type { TidingsEvent } from '../../core/model/event.ts';
import { describePlatform } from './platform-suite.ts';

// Plain JavaScript, as Pipedream runs it.
const file = '../../examples/pipedream/new-event.mjs';
const { default: source } = await import(file);

describePlatform('the Pipedream source', { verifies: true }, ({ url, key, hookUrl }) => {
  const stored = new Map<string, unknown>();
  const emitted: TidingsEvent[] = [];
  const started: TidingsEvent[] = [];
  const seen = new Set<string>();
  let status = 0;
  const instance = {
    url,
    key,
    events: [] as string[],
    ...source.methods,
    http: {
      endpoint: hookUrl,
      respond: (response: { status: number }) => {
        status = response.status;
      },
    },
    // It keeps JSON, not objects.
    db: {
      get: (name: string) => (stored.has(name) ? JSON.parse(String(stored.get(name))) : undefined),
      set: (name: string, value: unknown) => stored.set(name, JSON.stringify(value)),
    },
    $emit: (event: TidingsEvent, { id }: { id: string }) => {
      if (!seen.has(id)) emitted.push(event);
      seen.add(id);
    },
  };
  return {
    started,
    testKey: (tested) => source.props.events.options.call({ ...instance, key: tested }),
    listEventTypes: () => source.props.events.options.call(instance),
    listSamples: async (type) => {
      await source.hooks.deploy.call({ ...instance, events: [type] });
      return emitted;
    },
    subscribe: async (type) => {
      instance.events = [type];
      await source.hooks.activate.call(instance);
    },
    unsubscribe: () => source.hooks.deactivate.call(instance),
    receive: async ({ headers, rawBody }) => {
      const before = emitted.length;
      await source.run.call(instance, { method: 'POST', headers, bodyRaw: rawBody, body: JSON.parse(rawBody) });
      started.push(...emitted.slice(before));
      return status;
    },
  };
});
