/** Zapier: `z.request` with the middleware of the app, `bundle.targetUrl`, `bundle.subscribeData` and `bundle.rawRequest`. */

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { describePlatform, type HookRequest } from './platform-suite.ts';

const app = createRequire(import.meta.url)('../../examples/zapier/index.js');
const trigger = app.triggers.new_event.operation;

class HaltedError extends Error {}
const errors = { Error, HaltedError, ThrottledError: Error };

interface ZapierRequest {
  readonly url: string;
  readonly method?: string;
  readonly params?: Record<string, string>;
  readonly body?: object;
}

/** Replaces `{{bundle.authData.url}}`, as Zapier does in plain objects. */
const fill = (text: string, bundle: unknown) =>
  text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, path: string) =>
    String(path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], { bundle })),
  );

function zObject(bundle: object) {
  const z = {
    errors,
    request: async (options: ZapierRequest) => {
      const { url, method = 'GET', params = {}, body } = options;
      const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const request = app.beforeRequest.reduce(
        (made: object, change: (...argv: unknown[]) => object) => change(made, z, bundle),
        { url: fill(url, bundle), method, headers },
      );
      const query = new URLSearchParams(params).toString();
      const answer = await fetch(query === '' ? request.url : `${request.url}?${query}`, {
        method,
        headers: request.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const response = {
        status: answer.status,
        data: text === '' ? undefined : JSON.parse(text),
        getHeader: (name: string) => answer.headers.get(name),
      };
      return app.afterResponse.reduce(
        (got: object, check: (...argv: unknown[]) => object) => check(got, z, bundle),
        response,
      );
    },
  };
  return z;
}

describePlatform('the Zapier app', { verifies: true }, ({ url, key, hookUrl }) => {
  const bundle = { authData: { url, key }, inputData: {} as Record<string, string>, targetUrl: hookUrl };
  let subscribeData: unknown;
  const started: TidingsEvent[] = [];
  return {
    started,
    testKey: (tested) => zObject({ ...bundle, authData: { url, key: tested } }).request(app.authentication.test),
    listEventTypes: async () => {
      const [hidden, id] = trigger.inputFields[0].dynamic.split('.');
      const rows = await app.triggers[hidden].operation.perform(zObject(bundle), bundle);
      return rows.map((row: Record<string, string>) => row[id]);
    },
    listSamples: (type) => {
      const given = { ...bundle, inputData: { event: type } };
      return trigger.performList(zObject(given), given);
    },
    subscribe: async (type) => {
      const given = { ...bundle, inputData: { event: type } };
      subscribeData = await trigger.performSubscribe(zObject(given), given);
    },
    unsubscribe: async () => {
      const given = { ...bundle, subscribeData };
      await trigger.performUnsubscribe(zObject(given), given);
      subscribeData = undefined;
    },
    /** Zapier accepts every request, and runs `perform` later. */
    receive: async ({ headers, rawBody }: HookRequest) => {
      const renamed = Object.entries(headers).map(([name, value]) => [
        `Http-${name.replaceAll(/\b[a-z]/g, (a) => a.toUpperCase())}`,
        value,
      ]);
      const given = {
        ...bundle,
        subscribeData,
        rawRequest: { method: 'POST', headers: Object.fromEntries(renamed), content: rawBody },
        cleanedRequest: JSON.parse(rawBody),
      };
      try {
        started.push(...trigger.perform(zObject(given), given));
        return 200;
      } catch (error) {
        if (error instanceof HaltedError) return 401;
        throw error;
      }
    },
  };
});

describe('the Zapier app', () => {
  it('names the version of the platform that it is pushed for', () => {
    expect(app.platformVersion).toMatch(/^\d+\.\d+\.\d+$/);
    expect(app.version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(trigger.sample.id).toMatch(/^evt_/);
  });
});
