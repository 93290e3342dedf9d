/** Names of receivers: servers that do not respond delay nobody else, and the system's own names still count. */

import { createSocket } from 'node:dgram';
import type { LookupAddress, LookupAllOptions } from 'node:dns';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHostLookup, type LookupAll } from '../../../adapters/http/host-lookup.ts';

/** The records of the server below. Names under `silent.test` get no response, and others do not exist. */
const RECORDS: Readonly<Record<string, { readonly A?: string; readonly AAAA?: string | 'silent' }>> = {
  'both.test': { A: '192.0.2.1', AAAA: '2001:db8::1' },
  'old.test': { A: '192.0.2.2' },
  'new.test': { AAAA: '2001:db8::2' },
  'half.test': { A: '192.0.2.3', AAAA: 'silent' },
  'short.corp.test': { A: '192.0.2.4' },
  'two.dots.test': { A: '192.0.2.5' },
  'two.dots.test.corp.test': { A: '192.0.2.6' },
};

const TYPE_A = 1;
const folder = mkdtempSync(join(tmpdir(), 'tidings-names-'));
const server = createSocket('udp4');
const asked: string[] = [];
let servers: readonly string[] = [];

beforeAll(async () => {
  server.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString());
      at += length + 1;
    }
    const name = labels.join('.').toLowerCase();
    asked.push(name);
    const type = query.readUInt16BE(at + 1);
    const record = RECORDS[name];
    const value = type === TYPE_A ? record?.A : record?.AAAA;
    if (name.endsWith('silent.test') || value === 'silent') return;
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(record === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(value === undefined ? 0 : 1, 6);
    head.writeUInt32BE(0, 8);
    const question = query.subarray(12, at + 5);
    const parts = [head, question, ...(value === undefined ? [] : [resourceRecord(type, value)])];
    server.send(Buffer.concat(parts), from.port, from.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  servers = [`127.0.0.1:${server.address().port}`];
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function resourceRecord(type: number, value: string): Buffer {
  const data =
    type === TYPE_A
      ? Buffer.from(value.split('.').map(Number))
      : Buffer.from(`20010db8${'0'.repeat(22)}${value.split('::')[1]?.padStart(2, '0')}`, 'hex');
  const head = Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** What the system knows: it never responds for `stuck.…`. */
function system(known: Readonly<Record<string, string>> = {}) {
  const names: string[] = [];
  const lookup: LookupAll = (hostname, _, callback) => {
    names.push(hostname);
    if (hostname.startsWith('stuck')) return;
    const address = known[hostname];
    setImmediate(() => {
      if (address === undefined) callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
      else callback(null, [{ address, family: 4 }]);
    });
  };
  return { lookup, names };
}

const noHosts = file('empty', '');

/** For tests that wait until servers do not respond. */
const ONCE = { times: { timeout: 2000, tries: 1 } };

function open(options: Parameters<typeof createHostLookup>[0] = {}, { lookup } = system()) {
  const resolve = createHostLookup({
    servers,
    hostsFile: noHosts,
    resolverFile: noHosts,
    systemLookup: lookup,
    ...options,
  });
  return (name: string, given: LookupAllOptions = { all: true }) =>
    new Promise<readonly string[] | string>((settle) => {
      resolve(name, given, (error, addresses: LookupAddress[]) =>
        settle(error === null ? addresses.map(({ address }) => address) : (error.code ?? error.message)),
      );
    });
}

it('finds the addresses of both families, or of the one that is asked for', async () => {
  const find = open();
  expect(await find('both.test')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(await find('BOTH.test')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(await find('old.test')).toEqual(['192.0.2.2']);
  expect(await find('new.test')).toEqual(['2001:db8::2']);
  expect(await find('both.test', { all: true, family: 4 })).toEqual(['192.0.2.1']);
  expect(await find('both.test', { all: true, family: 6 })).toEqual(['2001:db8::1']);
});

it('finds a name at once while many others get no response', async () => {
  const find = open(ONCE);
  const silent = Array.from({ length: 40 }, (_, index) => find(`n${index}.silent.test`));
  const begun = performance.now();
  expect(await find('both.test')).toEqual(['192.0.2.1', '2001:db8::1']);
  expect(performance.now() - begun).toBeLessThan(2000);
  for (const result of await Promise.all(silent)) expect(result).toBe('ETIMEOUT');
}, 30_000);

it('does not wait for a family whose question gets no response', async () => {
  const begun = performance.now();
  expect(await open()('half.test')).toEqual(['192.0.2.3']);
  expect(performance.now() - begun).toBeLessThan(2500);
});

it('asks the system for what DNS does not know, one name at a time, and never for a name without a response', async () => {
  const local = system({ printer: '192.0.2.9', 'printer.local': '192.0.2.8' });
  const find = open(ONCE, local);
  expect(await find('printer')).toEqual(['192.0.2.9']);
  expect(await find('nowhere.test')).toBe('ENOTFOUND');
  expect(local.names).toEqual(['printer', 'nowhere.test']);
  void find('stuck.test');
  void find('stuck-too.test');
  expect(await find('n.silent.test')).toBe('ETIMEOUT');
  expect(local.names).toEqual(['printer', 'nowhere.test', 'stuck.test']);
  expect(await find('old.test')).toEqual(['192.0.2.2']);
  // Names of the local network do not wait for a zone that anyone may have.
  expect(await find('printer')).toEqual(['192.0.2.9']);
  expect(await find('printer.local')).toEqual(['192.0.2.8']);
}, 30_000);

it('answers names of the hosts file and localhost itself, also when the file changes', async () => {
  const local = system();
  const hostsFile = file('hosts', '127.0.0.1 localhost\n# 192.0.2.7 both.test\n');
  const find = open({ hostsFile }, local);
  expect(await find('both.test')).toEqual(['192.0.2.1', '2001:db8::1']);
  file('hosts', '127.0.0.1 localhost\n192.0.2.7\tBoth.test alias # a comment\n');
  expect(await find('both.test')).toEqual(['192.0.2.7']);
  expect(await find('both.test', { all: true, family: 6 })).toBe('ENOTFOUND');
  expect(await find('LOCALHOST')).toEqual(['127.0.0.1']);
  // The system would ask servers for it.
  expect(await find('h1.localhost')).toEqual(['127.0.0.1', '::1']);
  expect(await find('localhost.', { all: true, family: 6 })).toEqual(['::1']);
  expect(local.names).toEqual([]);
});

it('looks for short names in the search domains, as the system does', async () => {
  const resolverFile = file('resolv.conf', 'nameserver 192.0.2.53\nsearch corp.test other.test\n');
  const find = open({ resolverFile });
  expect(await find('short')).toEqual(['192.0.2.4']);
  expect(await find('two.dots.test')).toEqual(['192.0.2.5']);
  file('resolv.conf', 'search corp.test\noptions timeout:1 ndots:5\n');
  expect(await find('two.dots.test')).toEqual(['192.0.2.6']);
  asked.length = 0;
  expect(await find('two.dots.test.')).toEqual(['192.0.2.5']);
  expect(new Set(asked)).toEqual(new Set(['two.dots.test']));
});

it('is how all connections find their host: the thread pool is asked by single checks only', async () => {
  const importing = globSync('{adapters,runtime,service,core,manage}/**/*.ts').filter((path) =>
    /import \{[^}]*\blookup\b[^}]*\} from 'node:dns(\/promises)?'/.test(readFileSync(path, 'utf8')),
  );
  expect(importing.sort()).toEqual([
    'adapters/channels/email/smtp.ts',
    'adapters/http/host-lookup.ts',
    'adapters/http/probe-endpoint.ts',
  ]);
  // No connection is left to the default of Node, which is the thread pool.
  for (const path of ['adapters/http/http-transport.ts', 'adapters/sources/http/http-client.ts'])
    expect(readFileSync(path, 'utf8')).toMatch(/createFloodGuard\(\{[^}]*\blookup\b/);
});
