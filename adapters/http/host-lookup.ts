/**
 * Finds the addresses of a host name by asking DNS servers on sockets. `dns.lookup` asks in the thread pool of Node, two names at a
 * time and each for up to ten seconds and more: a few names whose servers do not respond would keep all other receivers waiting.
 * It is asked, one name at a time, only for what neither the hosts file nor DNS knows, such as names of the local network.
 */

import { type LookupAddress, type LookupAllOptions, lookup, Resolver } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';

/** All addresses of a host name, in the form of `dns.lookup`. */
export type LookupAll = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface HostLookupOptions {
  /** DNS servers, as `address:port`. @default - those of the system */
  readonly servers?: readonly string[];
  /** How long each server is waited for, in milliseconds, and how often it is asked. @default - 3 s, and again for 6 s */
  readonly times?: DnsTimes;
  /** @default - that of the system */
  readonly hostsFile?: string;
  /** Names the search domains. @default /etc/resolv.conf */
  readonly resolverFile?: string;
  /** What knows more than DNS. @default - dns.lookup */
  readonly systemLookup?: LookupAll;
}

interface DnsTimes {
  readonly timeout: number;
  readonly tries: number;
}

const HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/** Each server is asked again once, with twice the time. A request to a receiver has 15 s. */
const DNS_TIMES: DnsTimes = { timeout: 3000, tries: 2 };

/** How long the addresses of one family wait for those of the other. Some servers never respond to a question for IPv6. */
const MAX_OTHER_FAMILY_MS = 300;

/** The caller has given up by then. */
const MAX_WAIT_MS = 15_000;

/** DNS does not know the name. */
const UNKNOWN: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** There is no DNS, or the name is none for it. */
const UNUSABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EBADNAME',
  'EFILE',
  'ENOTINITIALIZED',
  'ELOADIPHLPAPI',
]);

export function createHostLookup(options: HostLookupOptions = {}): LookupAll {
  const { servers, hostsFile = HOSTS_FILE, resolverFile = '/etc/resolv.conf', systemLookup = lookup } = options;
  const { times = DNS_TIMES } = options;
  const readHosts = cacheFile(hostsFile, parseHosts);
  const readSearch = cacheFile(resolverFile, parseSearch);
  // Anyone may have a zone whose servers do not respond to the system. Names of the local network do not wait for them.
  const queues = { local: createSystemQueue(systemLookup), others: createSystemQueue(systemLookup) };
  return (hostname, given, callback) => {
    const name = hostname.toLowerCase();
    // No server is asked, as the system may do for `x.localhost`, and nothing waits in the thread pool.
    const known = readHosts().get(name) ?? (/(^|\.)localhost\.?$/.test(name) ? LOOPBACK : undefined);
    if (known !== undefined) return answerKnown(hostname, known, given, callback);
    resolveFirst(fullNames(name, readSearch()), given, { servers, times }).then(
      (addresses) => {
        if (addresses.length > 0) callback(null, addresses);
        else queues[isLocal(name) ? 'local' : 'others'](hostname, given, callback);
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
}

/** RFC 6761: whatever name it is that ends in `.localhost`. */
const LOOPBACK: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

function answerKnown(
  hostname: string,
  known: readonly LookupAddress[],
  options: LookupAllOptions,
  callback: Parameters<LookupAll>[2],
): void {
  const wanted = wantedFamilies(options);
  const addresses = known.filter(({ family }) => wanted.includes(family));
  const error =
    addresses.length > 0 ? null : Object.assign(new Error(`no address: ${hostname}`), { code: 'ENOTFOUND' });
  setImmediate(callback, error, addresses);
}

const wantedFamilies = ({ family = 0 }: LookupAllOptions): readonly number[] =>
  family === 4 || family === 'IPv4' ? [4] : family === 6 || family === 'IPv6' ? [6] : [4, 6];

/** Whether the name belongs to the local network, whatever zones there are. */
const isLocal = (name: string) => /^[^.]+\.?$|\.local\.?$/.test(name);

/** For all receivers of this thread. */
export const lookupHost: LookupAll = createHostLookup();

interface DnsOptions {
  readonly servers: readonly string[] | undefined;
  readonly times: DnsTimes;
}

async function resolveFirst(
  names: readonly string[],
  options: LookupAllOptions,
  dns: DnsOptions,
): Promise<LookupAddress[]> {
  for (const name of names) {
    const addresses = await resolveByDns(name, options, dns);
    if (addresses.length > 0) return addresses;
  }
  return [];
}

/** Empty if DNS does not know the name, or cannot be asked. Rejects if its servers do not respond or fail. */
async function resolveByDns(
  hostname: string,
  options: LookupAllOptions,
  { servers, times }: DnsOptions,
): Promise<LookupAddress[]> {
  // A new one each time: the servers of the system may have changed.
  const resolver = new Resolver(times);
  if (servers !== undefined) resolver.setServers([...servers]);
  const answers = wantedFamilies(options).map((one) => ask(resolver, hostname, one as 4 | 6));
  const first = await Promise.race(answers);
  const patience = first.addresses.length === 0 ? MAX_WAIT_MS : MAX_OTHER_FAMILY_MS;
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), patience);
  });
  const all = (await Promise.race([Promise.all(answers), tooLate])) ?? [first];
  clearTimeout(timer);
  resolver.cancel();
  const addresses = all.flatMap((answer) => answer.addresses);
  const failure = all.find(({ error }) => error !== undefined)?.error;
  if (addresses.length === 0 && failure !== undefined) throw failure;
  return addresses;
}

interface Answer {
  readonly addresses: readonly LookupAddress[];
  /** Why it is not known whether there are addresses. */
  readonly error?: Error;
}

function ask(resolver: Resolver, hostname: string, family: 4 | 6): Promise<Answer> {
  return new Promise((resolve) => {
    const answer = (error: NodeJS.ErrnoException | null, addresses: readonly string[]) => {
      const code = error?.code ?? '';
      if (error === null) resolve({ addresses: addresses.map((address) => ({ address, family })) });
      else resolve(UNKNOWN.has(code) || UNUSABLE.has(code) ? { addresses: [] } : { addresses: [], error });
    };
    if (family === 4) resolver.resolve4(hostname, answer);
    else resolver.resolve6(hostname, answer);
  });
}

/** One name at a time, so that the thread pool has room for others. What has waited too long is not asked any more. */
function createSystemQueue(systemLookup: LookupAll): LookupAll {
  let last: Promise<unknown> = Promise.resolve();
  return (hostname, options, callback) => {
    const until = performance.now() + MAX_WAIT_MS;
    const run = () =>
      new Promise<void>((done) => {
        if (performance.now() > until) {
          callback(
            Object.assign(new Error(`too many names wait for the system: ${hostname}`), { code: 'EAI_AGAIN' }),
            [],
          );
          return done();
        }
        systemLookup(hostname, options, (error, addresses) => {
          done();
          callback(error, addresses);
        });
      });
    last = last.then(run);
  };
}

interface Search {
  readonly domains: readonly string[];
  /** A name with fewer dots is looked for in these domains first. */
  readonly dots: number;
}

/** What a name may stand for, in the order in which the system tries it. */
function fullNames(name: string, { domains, dots }: Search): readonly string[] {
  if (name.endsWith('.')) return [name];
  const searched = domains.map((domain) => `${name}.${domain}`);
  return name.split('.').length - 1 >= dots ? [name, ...searched] : [...searched, name];
}

/** The parsed file, which is read again when it was changed. Without the file, that of an empty one. */
function cacheFile<T>(path: string, parse: (text: string) => T): () => T {
  let version = '';
  let parsed = parse('');
  return () => {
    try {
      const { mtimeMs, size, ino } = statSync(path);
      const current = `${mtimeMs} ${size} ${ino}`;
      if (current !== version) parsed = parse(readFileSync(path, 'utf8'));
      version = current;
    } catch {
      version = '';
      parsed = parse('');
    }
    return parsed;
  };
}

function wordsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n').map((line) => line.replace(/[#;].*/, '').trim());
  return lines.map((line) => line.toLowerCase().split(/\s+/));
}

/** The names in it. */
function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const entries = wordsOf(text).flatMap(([address = '', ...names]) => {
    const family = isIP(address);
    return family === 0 ? [] : names.map((name) => ({ name, address, family }));
  });
  return new Map(
    [...Map.groupBy(entries, ({ name }) => name)].map(([name, own]) => [
      name,
      own.map(({ address, family }) => ({ address, family })),
    ]),
  );
}

function parseSearch(text: string): Search {
  const lines = wordsOf(text);
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? [];
  const options = lines.flatMap(([key, ...values]) => (key === 'options' ? values : []));
  const dots = Number(options.findLast((option) => /^ndots:\d+$/.test(option))?.slice('ndots:'.length) ?? 1);
  return { domains: domains.filter((domain) => domain !== '.').map((domain) => domain.replace(/\.$/, '')), dots };
}
