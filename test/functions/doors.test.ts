/** The doors of the console and of the API through the functions, on DynamoDB. */

import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { makeLogInLink } from '../../console/log-in-link.ts';
import { createKey } from '../../manage/api/keys.ts';
import { type DoorWorld, describeDoors, LONG_TEXT } from '../console/doors.ts';
import { captureOutput } from './lambda-call.ts';
import { startWorld } from './world.ts';

const HOST = 'tidings.example.com';
const OWNER = { kind: 'iam', id: 'arn:aws:iam::123456789012:user/ann', scopes: ['admin'] } as const;

/** Those that become part of a key of DynamoDB. The embedded mode tries all. */
const OPTIONS = {
  parameters: ['after', 'subject', 'subscription', 'event', 'delivery', 'startedAt'],
  parameterTexts: [LONG_TEXT],
};

describeDoors(async (): Promise<DoorWorld> => {
  const api = { rate: '100000/s', quotas: { changes: '100000/s', previews: '100000/s', replays: '100000/s' } };
  const world = await startWorld({
    config: { manage: { url: `https://${HOST}`, secret: '${OPS}', api, console: 'on' }, subscriptions: [] },
  });
  const output = captureOutput();
  await world.functions.setup();
  const ports = { ...world.stores, clock: world.clock, randomBytes };
  const { token: key } = await createKey(ports, OWNER, { name: 'test', scopes: ['admin'] });

  interface Sent {
    readonly headers?: Readonly<Record<string, string>>;
    readonly cookie?: string | undefined;
    readonly body?: string | undefined;
  }
  const send = async (method: string, path: string, { headers = {}, cookie, body }: Sent) => {
    const [rawPath = '', rawQueryString = ''] = path.split('?');
    const event = {
      ...{ version: '2.0', rawPath, rawQueryString },
      headers: { host: HOST, 'x-forwarded-proto': 'https', ...headers },
      ...(cookie === undefined ? {} : { cookies: [cookie] }),
      ...(body === undefined ? {} : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true }),
      requestContext: { http: { method, path: rawPath, sourceIp: '::1', userAgent: '' }, domainName: HOST },
    };
    const answer = (await world.functions.manage(event as unknown as Parameters<typeof world.functions.manage>[0])) as {
      readonly statusCode: number;
      readonly body: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly cookies?: readonly string[];
      readonly isBase64Encoded: boolean;
    };
    const text = answer.isBase64Encoded ? Buffer.from(answer.body, 'base64').toString() : answer.body;
    const { statusCode: status, headers: received, cookies = [] } = answer;
    return { status, text, location: received.location, cookies };
  };

  return {
    stores: world.stores,
    now: world.clock.now,
    async open(scope) {
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      let cookie: string | undefined;
      if (scope !== undefined) {
        const link = new URL(await makeLogInLink(ports, OWNER, `https://${HOST}`, scope));
        const body = `token=${link.searchParams.get('token')}`;
        const { cookies } = await send('POST', '/console/log-in', { headers: form, body });
        cookie = cookies[0]?.split(';')[0];
      }
      const help = await send('GET', '/console/help', { cookie });
      return {
        csrf: /name="csrf" value="([^"]+)"/.exec(help.text)?.[1] ?? '',
        get: (path) => send('GET', path, { cookie }),
        post: (path, { fields = {}, body, headers = {} }) =>
          send('POST', path, {
            cookie,
            headers: { ...form, ...(body === undefined ? {} : { 'content-type': body.type }), ...headers },
            body: body?.text ?? new URLSearchParams(fields).toString(),
          }),
      };
    },
    async ask(method, path, body) {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return send(method, `/v1${path}`, { headers, body: body === undefined ? undefined : JSON.stringify(body) });
    },
    async stop() {
      // An alarm counts the errors of a function: no caller may cause one.
      expect(output.lines('failed')).toEqual([]);
      vi.restoreAllMocks();
      await world.stop();
    },
  };
}, OPTIONS);
