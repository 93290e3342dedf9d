/** Tests the built kit in a receiver's project: Node loads it from node_modules and the compiler checks its types. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { SECRET } from '../samples.ts';
import { createProject } from './project.ts';
import { signWithOurs } from './signed.ts';

const run = promisify(execFile);
const compiler = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const project = createProject();
afterAll(project.remove);

/** Returns the compiler's messages, with neither Node's types nor the browser's. */
async function check(code: string): Promise<string> {
  const file = project.write('sample.ts', code);
  const settings = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const { stdout } = await run(process.execPath, [compiler, ...settings, file], { cwd: project.folder }).catch(
    (error: { readonly stdout: string }) => error,
  );
  return stdout;
}

describe('tidings/verify as a package', () => {
  it('runs as plain JavaScript from node_modules', async () => {
    const headers = signWithOurs(SECRET, 'evt_1', new Date(), '{"type":"task.closed"}');
    const script = project.write(
      'run.js',
      `import { verify, VerifyError } from 'tidings/verify';
       const request = { secret: '${SECRET}', headers: ${JSON.stringify(headers)}, body: '{"type":"task.closed"}' };
       const { type } = await verify(request);
       const error = await verify({ ...request, body: '{}' }).catch((error) => error);
       console.log(type, error instanceof VerifyError, error.code);`,
    );
    expect(await run(process.execPath, [script])).toEqual({ stdout: 'task.closed true no_match\n', stderr: '' });
  });

  it('runs without a global Web Crypto, as in Node 18', async () => {
    const headers = signWithOurs(SECRET, 'evt_1', new Date(), '{"type":"task.closed"}');
    const script = project.write(
      'old.js',
      `delete globalThis.crypto;
       const { verify } = await import('tidings/verify');
       const request = { secret: '${SECRET}', headers: ${JSON.stringify(headers)}, body: '{"type":"task.closed"}' };
       console.log(typeof globalThis.crypto, (await verify(request)).type);`,
    );
    expect(await run(process.execPath, [script])).toEqual({ stdout: 'undefined task.closed\n', stderr: '' });
  });

  it("has types, and narrows events with the types of 'tidings/events'", async () => {
    const messages = await check(`
      import type { TidingsEvents } from 'tidings/events';
      import { isStale, recentIds, verify, VerifyError, type VerifyErrorCode } from 'tidings/verify';

      const seen = recentIds(100);
      export async function receive(headers: { [name: string]: string | string[] | undefined }, body: Uint8Array) {
        const event = await verify<TidingsEvents>({ secrets: [process.env.NEW, process.env.OLD], headers, body });
        if (seen.has(event.id) || isStale(event, 3)) return null;
        const plain = await verify({ secret: 'whsec_', headers: new Headers(), body: '' });
        const field: unknown = plain.data.record.title;
        return event.type === 'task.closed' ? event.data.record.title : field;
      }
      export function reason(error: unknown): VerifyErrorCode | undefined {
        return error instanceof VerifyError ? error.code : undefined;
      }
      declare const process: { env: Record<string, string | undefined> };
      declare class Headers { get(name: string): string | null; }
    `);
    expect(messages).toBe('');
  });

  it('does not compile with a parsed body, missing headers, or an unknown field or code', async () => {
    const messages = await check(
      [
        "import { verify, type VerifyError } from 'tidings/verify';",
        "export const parsed = verify({ secret: '', headers: {}, body: { type: 'task.closed' } });",
        "export const bare = verify({ secret: '', body: '' });",
        "export const field = (await verify({ secret: '', headers: {}, body: '' })).nope;",
        "export const code = (error: VerifyError) => error.code === 'nope';",
      ].join('\n'),
    );
    expect(messages.match(/sample\.ts\(\d+/g)).toEqual([2, 3, 4, 5].map((line) => `sample.ts(${line}`));
  });
});

describe('tidings/client as a package', () => {
  it('runs as plain JavaScript from node_modules', async () => {
    const script = project.write(
      'client.js',
      `import { TidingsApiError, TidingsClient } from 'tidings/client';
       const answer = { status: 404, headers: new Headers(), text: async () => '{"code":"TIDINGS_API_NOT_FOUND","detail":"gone"}' };
       const client = new TidingsClient({ url: 'https://tidings.example.com', key: 'tdk_', fetch: async () => answer });
       const error = await client.getEvent('evt_1').catch((error) => error);
       console.log(error instanceof TidingsApiError, error.status, error.code, error.message);`,
    );
    expect(await run(process.execPath, [script])).toEqual({
      stdout: 'true 404 TIDINGS_API_NOT_FOUND gone\n',
      stderr: '',
    });
  });

  it('has types of every operation', async () => {
    const messages = await check(`
      import { TidingsApiError, TidingsClient, type Delivery, type FieldProblem } from 'tidings/client';

      const client = new TidingsClient({ url: 'https://tidings.example.com', key: 'tdk_' });
      export async function subscribe(url: string): Promise<string | null> {
        const { secret, etag, name } = await client.createSubscription({ url, events: ['invoice.*'] });
        await client.patchSubscription(name, { where: null, rate: '30/m' }, { ifMatch: etag });
        const ids: string[] = [];
        for await (const event of client.iterateEvents({ type: 'task.*', since: '2h' })) ids.push(event.id);
        return secret;
      }
      export async function failures(name: string): Promise<Delivery[]> {
        const { data } = await client.listSubscriptionDeliveries(name, { status: 'failed', limit: 200 });
        return data;
      }
      export function wrongFields(error: unknown): readonly FieldProblem[] {
        return error instanceof TidingsApiError ? error.errors : [];
      }
    `);
    expect(messages).toBe('');
  });

  it('does not compile with an unknown operation, query, field or status', async () => {
    const messages = await check(
      [
        "import { TidingsClient } from 'tidings/client';",
        "const client = new TidingsClient({ url: '', key: '' });",
        'export const operation = client.nope();',
        "export const query = client.listEvents({ typ: 'task.*' });",
        "export const field = client.createSubscription({ url: '', evnts: [] });",
        "export const status = client.listDeliveries({ status: 'lost' });",
        'export const missing = client.getSubscription();',
      ].join('\n'),
    );
    expect(messages.match(/sample\.ts\(\d+/g)).toEqual([3, 4, 5, 6, 7].map((line) => `sample.ts(${line}`));
  });
});
