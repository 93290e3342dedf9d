/** Make: the JSON files of the app, with the part of the template language that they use. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { describePlatform } from './platform-suite.ts';

const folder = join(import.meta.dirname, '../../examples/make');
// biome-ignore lint/suspicious/noExplicitAny: JSON of another program, as it is
const read = (file: string): any => JSON.parse(readFileSync(join(folder, file), 'utf8'));
const manifest = read('makecomapp.json');

type Variables = Readonly<Record<string, unknown>>;

/** A value, a comparison, or `ifempty(a; b)`. */
function evaluate(expression: string, variables: Variables): unknown {
  const text = expression.trim();
  const [, either, other] = /^ifempty\((.*); (.*)\)$/.exec(text) ?? [];
  if (either !== undefined) return evaluate(either, variables) || evaluate(other ?? '', variables);
  const [, left, right] = /^(.*) = '(.*)'$/.exec(text) ?? [];
  if (left !== undefined) return evaluate(left, variables) === right;
  if (!/^[\w.]+$/.test(text)) throw new Error(`the test does not know this expression: ${text}`);
  return text.split('.').reduce<unknown>((value, key) => (value as Variables | undefined)?.[key], variables);
}

/** Replaces `{{…}}` in all texts. A text that is one expression becomes its value. */
function fill(template: unknown, variables: Variables): unknown {
  if (typeof template === 'string') {
    const [, whole] = /^\{\{([^{}]*)\}\}$/.exec(template) ?? [];
    if (whole !== undefined) return evaluate(whole, variables);
    return template.replaceAll(/\{\{([^{}]*)\}\}/g, (_, part: string) => String(evaluate(part, variables)));
  }
  if (Array.isArray(template)) return template.map((one) => fill(one, variables));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, variables)]));
}

/** Makes the request of a communication file. Its path is relative to that of the base, whose headers it inherits. */
async function call(file: string, variables: Variables) {
  const base = read(manifest.generalCodeFiles.base);
  const communication = read(file);
  const { url, method, headers, qs, body } = fill(
    { ...communication, response: undefined, headers: { ...base.headers, ...communication.headers } },
    variables,
  ) as { url: string; method: string; headers: Record<string, string>; qs?: Record<string, string>; body?: object };
  const address = url.startsWith('/') ? `${fill(base.baseUrl, variables)}${url}` : url;
  const answer = await fetch(qs === undefined ? address : `${address}?${new URLSearchParams(qs)}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const result = { ...variables, statusCode: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  const { error, iterate, output, data } = { ...base.response, ...communication.response };
  if (answer.status >= 400) throw new Error(String(fill(error.message, result)));
  const items = iterate === undefined ? [] : (fill(iterate, result) as unknown[]);
  return { items: items.map((item) => fill(output, { ...result, item })), data: fill(data, result) };
}

describePlatform('the Make app', { verifies: false }, ({ url, key, hookUrl }) => {
  const { connection, webhook, rpc, module } = manifest.components;
  const hookFiles = webhook[module.newEvent.webhook].codeFiles;
  const variables = { connection: { url, key } };
  const started: TidingsEvent[] = [];
  let kept: object = {};
  return {
    started,
    testKey: (tested) =>
      call(connection[webhook.events.connection].codeFiles.communication, {
        parameters: { url, key: tested },
        connection: {},
      }),
    listEventTypes: async () => {
      const [{ options }] = read(hookFiles.params);
      const { items } = await call(rpc[options.replace('rpc://', '')].codeFiles.communication, variables);
      return items.map((item) => (item as { value: string }).value);
    },
    listSamples: async (type) => {
      const parameters = { event: type, limit: 10 };
      const { items } = await call(module.listEvents.codeFiles.communication, { ...variables, parameters });
      return items as TidingsEvent[];
    },
    subscribe: async (type) => {
      const { data } = await call(hookFiles.attach, {
        ...variables,
        webhook: { url: hookUrl },
        parameters: { event: type },
      });
      kept = data as object;
    },
    unsubscribe: async () => {
      await call(hookFiles.detach, { ...variables, webhook: { url: hookUrl, ...kept } });
    },
    receive: async ({ rawBody }) => {
      const { verification, respond, output } = read(hookFiles.communication);
      const request = { body: JSON.parse(rawBody) };
      if (fill(verification.condition, request) === true) return verification.respond.status;
      started.push(fill(output, request) as TidingsEvent);
      return respond.status;
    },
  };
});

describe('the Make app', () => {
  it('names every file of the app, and no other', () => {
    const named = [
      manifest.generalCodeFiles,
      ...Object.values(manifest.components).flatMap((all) =>
        Object.values(all as object).map(({ codeFiles }) => codeFiles),
      ),
    ]
      .flatMap((files) => Object.values(files as Record<string, string>))
      .sort();
    expect(named.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    expect(globSync('src/**/*.json', { cwd: folder }).sort()).toEqual(named.filter((file) => file.startsWith('src/')));
  });
});
