/** n8n: `webhookMethods` with static data of the node, and `webhook` with the raw body. */

import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { describePlatform } from './platform-suite.ts';

const require = createRequire(import.meta.url);
const manifest = require('../../examples/n8n/package.json');
const [nodeFile] = manifest.n8n.nodes;
const [credentialsFile] = manifest.n8n.credentials;
const { TidingsTrigger } = require(`../../examples/n8n/${nodeFile}`);
const { TidingsApi } = require(`../../examples/n8n/${credentialsFile}`);

type Credentials = Readonly<Record<string, string>>;

/** Evaluates `=Bearer {{$credentials.key}}`. */
const evaluate = (expression: string, credentials: Credentials) =>
  expression
    .replace(/^=/, '')
    .replaceAll(/\{\{\$credentials\.(\w+)\}\}/g, (_, name: string) => credentials[name] ?? '');

interface RequestOptions {
  readonly method?: string;
  readonly url: string;
  readonly body?: object;
}

async function request({ method = 'GET', url, body }: RequestOptions, credentials: Credentials) {
  const { headers } = new TidingsApi().authenticate.properties;
  const authorization = evaluate(headers.Authorization, credentials);
  const answer = await fetch(url, {
    method,
    headers: { authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { statusCode: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

describePlatform('the n8n node', { verifies: true }, ({ url, key, hookUrl }) => {
  const node = new TidingsTrigger();
  const staticData: Record<string, string> = {};
  const started: TidingsEvent[] = [];
  let events: string[] = [];
  const credentials = { url, key };
  const context = {
    getCredentials: async () => credentials,
    getWorkflowStaticData: () => staticData,
    getNodeWebhookUrl: () => hookUrl,
    getNodeParameter: () => events,
    helpers: {
      httpRequestWithAuthentication: (_name: string, options: RequestOptions) => request(options, credentials),
      returnJsonArray: (items: object[]) => items.map((json) => ({ json })),
    },
  };
  const { checkExists, create, delete: remove } = node.webhookMethods.default;
  return {
    started,
    testKey: async (tested) => {
      const { baseURL, url: path } = new TidingsApi().test.request;
      const { statusCode } = await request({ url: evaluate(baseURL, credentials) + path }, { url, key: tested });
      if (statusCode >= 400) throw new Error(`status ${statusCode}`);
    },
    listEventTypes: async () => {
      const options =
        await node.methods.loadOptions[node.description.properties[0].typeOptions.loadOptionsMethod].call(context);
      return options.map(({ value }: { value: string }) => value);
    },
    // n8n has no list of samples: a person waits for a test event. The API has them.
    listSamples: async (type) =>
      (await request({ url: `${url}/v1/events?type=${type}&order=newest` }, credentials)).body.data,
    subscribe: async (type) => {
      events = [type];
      if (!(await checkExists.call(context))) expect(await create.call(context)).toBe(true);
      expect(await checkExists.call(context)).toBe(true);
    },
    unsubscribe: async () => {
      expect(await remove.call(context)).toBe(true);
      expect(await checkExists.call(context)).toBe(false);
      expect(staticData).toEqual({});
    },
    receive: async ({ headers, rawBody }) => {
      let status = 200;
      const response = {
        status: (code: number) => {
          status = code;
          return response;
        },
        send: () => response,
        end: () => {},
      };
      const result = await node.webhook.call({
        ...context,
        getBodyData: () => JSON.parse(rawBody),
        getRequestObject: () => ({ headers, rawBody: Buffer.from(rawBody) }),
        getResponseObject: () => response,
      });
      for (const { json } of result.workflowData?.[0] ?? []) started.push(json);
      return status;
    },
  };
});

describe('the n8n package', () => {
  it('has the name, the keyword and the files that n8n looks for', () => {
    expect(manifest.name).toMatch(/^n8n-nodes-/);
    expect(manifest.keywords).toContain('n8n-community-node-package');
    expect(manifest.dependencies).toBeUndefined();
    const { description } = new TidingsTrigger();
    expect(nodeFile).toContain(`${description.displayName.replaceAll(' ', '')}.node.js`);
    expect(description.credentials[0].name).toBe(new TidingsApi().name);
  });
});
