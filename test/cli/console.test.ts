/** `tidings console`: where the link leads, who it is for, and ending sessions. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockForServing } from '../../adapters/sqlite/serve-lock.ts';
import { sqliteStores } from '../../adapters/sqlite/stores.ts';
import { hashPassToken } from '../../core/model/console-pass.ts';
import { openData } from '../../runtime/embedded/data-directory.ts';
import { runCommand } from './run-command.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tidings-console-'));
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

async function withData<T>(read: (stores: ReturnType<typeof sqliteStores>) => Promise<T>): Promise<T> {
  const database = openData(data);
  try {
    return await read(sqliteStores(database));
  } finally {
    database.close();
  }
}

const tokenOf = (stdout: string) => new URL(stdout.trim()).searchParams.get('token') ?? '';

describe('tidings console', () => {
  it('links to the server that serves the data, and names the person', async () => {
    await withData(async () => {});
    const lock = lockForServing(data, 1);
    lock.publish('http://127.0.0.1:4021');
    const { code, stdout, stderr } = await runCommand(['console', '-d', data], { environment: { USER: 'ann' } });
    lock.release();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:4021\/console\/log-in\?token=[\w-]{43}\n$/);
    expect(stderr).toContain('works once, within 10 minutes');
    const hash = hashPassToken('link', tokenOf(stdout));
    expect(await withData(({ consolePasses }) => consolePasses.get(hash))).toMatchObject({
      kind: 'link',
      person: 'ann',
      scope: 'admin',
    });
  });

  it('makes a read-only link for another address, and ends all links and sessions', async () => {
    await withData(async () => {});
    const { stdout } = await runCommand(['console', '-d', data, '--read-only', '--url', 'https://t.example.com/']);
    expect(stdout).toMatch(/^https:\/\/t\.example\.com\/console\/log-in\?token=/);
    const hash = hashPassToken('link', tokenOf(stdout));
    expect((await withData(({ consolePasses }) => consolePasses.get(hash)))?.scope).toBe('read');
    expect((await runCommand(['console', '-d', data, '--end-sessions'])).stdout).toBe('ended 1 session or link\n');
    expect(await withData(({ consolePasses }) => consolePasses.get(hash))).toBeUndefined();
  });

  it('says what to do without a server, without data and with a wrong address', async () => {
    const without = await runCommand(['console', '-d', data]);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('no data in directory')]);
    await withData(async () => {});
    const unserved = await runCommand(['console', '-d', data]);
    expect([unserved.code, unserved.stderr]).toEqual([2, expect.stringContaining('start it with: tidings serve')]);
    const wrong = await runCommand(['console', '-d', data, '--url', 'javascript:alert(1)']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--url: expected an address')]);
  });
});
