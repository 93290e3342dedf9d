/**
 * What every platform definition in examples/ must do, against a real API: fill its dropdown, test the key, show samples, subscribe,
 * take the ping, pass a signed event on, and unsubscribe. A test file per platform makes the calls of that platform.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TidingsEvent } from '../../core/model/event.ts';
import { toMillis } from '../../core/model/time.ts';
import { type ApiWorld, startApiWorld, taskEvent } from '../manage/api-world.ts';

/** A request at the address that the platform made for a workflow. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
}

/** A platform that has loaded the definition, for one workflow. */
export interface PlatformWorkflow {
  /** Does what the platform does to check credentials; rejects if they are wrong. */
  testKey(key: string): Promise<unknown>;
  /** The values of the dropdown of event types. */
  listEventTypes(): Promise<readonly string[]>;
  /** What a person sees while building the workflow. */
  listSamples(type: string): Promise<readonly TidingsEvent[]>;
  /** Turns the workflow on. */
  subscribe(type: string): Promise<void>;
  /** Turns the workflow off. */
  unsubscribe(): Promise<void>;
  /** Handles a request at the address of the workflow; returns the status of the response. */
  receive(request: HookRequest): Promise<number>;
  /** The events that started the workflow. */
  readonly started: readonly TidingsEvent[];
}

export interface WorkflowOptions {
  /** Of the API, without /v1. */
  readonly url: string;
  readonly key: string;
  /** The address of the workflow on the platform. */
  readonly hookUrl: string;
}

export interface PlatformTraits {
  /** Whether the definition can verify signatures. */
  readonly verifies: boolean;
}

export function describePlatform(
  name: string,
  { verifies }: PlatformTraits,
  load: (options: WorkflowOptions) => PlatformWorkflow | Promise<PlatformWorkflow>,
): void {
  let world: ApiWorld;
  let apiUrl = '';
  let closeApi = () => {};
  let workflow: PlatformWorkflow | undefined;
  /** Whether the platform has deleted the workflow without unsubscribing. */
  let isDeleted = false;
  const requests: HookRequest[] = [];
  const hook = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string>;
    const received = { headers, rawBody: Buffer.concat(chunks).toString() };
    requests.push(received);
    response.writeHead(isDeleted ? 410 : ((await workflow?.receive(received)) ?? 404)).end();
  });
  let hookUrl = '';

  beforeAll(async () => {
    world = await startApiWorld();
    apiUrl = await new Promise((resolve) => {
      const server = serve({ fetch: world.app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        resolve(`http://127.0.0.1:${port}`),
      );
      closeApi = () => server.close();
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/workflow`;
    // Signatures carry the time of the API.
    vi.useFakeTimers({ toFake: ['Date'], now: toMillis(world.clock.now()) });
  });
  beforeEach(async () => {
    isDeleted = false;
    requests.length = 0;
    const { token: key } = await world.makeKey(['read', 'subscribe'], ['task.*']);
    workflow = await load({ url: apiUrl, key, hookUrl });
  });
  afterEach(() => expect(world.errors).toEqual([]));
  afterAll(async () => {
    vi.useRealTimers();
    closeApi();
    hook.closeAllConnections();
    hook.close();
    await world.stop();
  });

  const current = () => {
    if (workflow === undefined) throw new Error('no workflow is loaded');
    return workflow;
  };
  const subscriptions = async () => {
    const { body } = await world.ask('GET', `/subscriptions?url=${encodeURIComponent(hookUrl)}`);
    return body.data as readonly {
      readonly name: string;
      readonly events: string[];
      readonly removeWhenGone: boolean;
    }[];
  };
  const send = async (...events: readonly TidingsEvent[]) => {
    const [subscription] = await subscriptions();
    await world.record(...events);
    for (const { id } of events) await world.ask('POST', `/subscriptions/${subscription?.name}/replay`, { event: id });
    await world.pump();
  };

  describe(name, () => {
    it('accepts a valid key and refuses a wrong one', async () => {
      const { token } = await world.makeKey(['read', 'subscribe']);
      await current().testKey(token);
      await expect(current().testKey('tdk_wrong')).rejects.toThrow();
    });

    it('offers the event types that the key may see', async () => {
      const types = await current().listEventTypes();
      expect(types).toContain('task.closed');
      expect(types.filter((type) => !type.startsWith('task.'))).toEqual([]);
    });

    it('shows recorded events as samples, newest first', async () => {
      await world.record(taskEvent('901', 'task.reopened'), taskEvent('902', 'task.reopened'));
      const samples = await current().listSamples('task.reopened');
      expect(samples.map(({ type }) => type)).toEqual(['task.reopened', 'task.reopened']);
      expect(samples[0]).toHaveProperty('data.record');
    });

    it('subscribes, takes the ping without starting the workflow, passes signed events on, and unsubscribes', async () => {
      await current().subscribe('task.closed');
      expect(await subscriptions()).toMatchObject([{ events: ['task.closed'], removeWhenGone: true }]);
      expect(requests.map(({ rawBody }) => JSON.parse(rawBody).type)).toEqual(['tidings.ping']);
      expect(current().started).toEqual([]);

      await send(taskEvent('1'), taskEvent('2'));
      expect(current().started.map(({ id }) => id)).toEqual([taskEvent('1').id, taskEvent('2').id]);
      expect(current().started[0]).toMatchObject({ type: 'task.closed', data: { record: {} } });
      const { body } = await world.ask('GET', '/deliveries?limit=2');
      expect(body.data.map(({ status }: { status: string }) => status)).toEqual(['settled', 'settled']);

      await current().unsubscribe();
      expect(await subscriptions()).toEqual([]);
    });

    it(verifies ? 'refuses a request that Tidings did not sign' : 'cannot verify signatures', async () => {
      await current().subscribe('task.closed');
      const rawBody = JSON.stringify(taskEvent('3'));
      const sign = new Webhook(`whsec_${Buffer.alloc(24, 1).toString('base64')}`);
      const at = new Date(toMillis(world.clock.now()));
      const headers = {
        'content-type': 'application/json',
        'webhook-id': 'evt_3',
        'webhook-timestamp': String(at.getTime() / 1000),
        'webhook-signature': sign.sign('evt_3', at, rawBody),
      };
      const status = await current().receive({ headers, rawBody });
      expect([status < 300, current().started.length]).toEqual(verifies ? [false, 0] : [true, 1]);
      await current().unsubscribe();
    });

    it('is forgotten after 410, and can then be turned off and on again', async () => {
      await current().subscribe('task.closed');
      isDeleted = true;
      await send(taskEvent('4'));
      expect(await subscriptions()).toEqual([]);
      isDeleted = false;
      await current().unsubscribe();
      await current().subscribe('task.closed');
      expect(await subscriptions()).toHaveLength(1);
      await current().unsubscribe();
    });

    it('shows why the API refused a subscription', async () => {
      await expect(current().subscribe('invoice.paid')).rejects.toThrow('this key may only subscribe to task.*');
      expect(await subscriptions()).toEqual([]);
    });
  });
}
