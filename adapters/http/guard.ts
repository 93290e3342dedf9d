/**
 * Blocks requests to private networks (SSRF). Every address of a host name is checked when the socket connects, and the
 * socket connects to the checked address, so that a DNS change in between has no effect.
 */

import type { LookupAddress } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { GiveUp } from '../../core/model/errors.ts';
import { type LookupAll, lookupHost } from './host-lookup.ts';

/** Ranges that are not public. Those that embed an IPv4 address are blocked as a whole. */
const BLOCKED_RANGES: readonly string[] = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, Alibaba Cloud's metadata
  '127.0.0.0/8', // loopback
  '161.26.0.0/16', // IBM Cloud's platform services
  '166.8.0.0/14', // IBM Cloud's private service endpoints
  '168.63.129.16/32', // Azure's platform service
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, Oracle Cloud's metadata
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
  '::/96', // unspecified, loopback, IPv4-compatible
  '::ffff:0:0/96', // IPv4-mapped
  '::ffff:0:0:0/96', // IPv4-translated
  '64:ff9b::/96', // NAT64
  '64:ff9b:1::/48', // local NAT64
  '100::/64', // discard
  '2001::/23', // Teredo and other protocol assignments
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
  'fc00::/7', // unique local, cloud metadata
  'fe80::/10', // link-local
  'fec0::/10', // site-local
  'ff00::/8', // multicast
];

/** Whether a text is a CIDR range. */
export function isCidrRange(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= (family === 4 ? 32 : 128);
}

/** Returns a check for addresses: true when a receiver may have that address. */
export function compileGuard(allow: readonly string[]): (address: string) => boolean {
  const isAllowed = compileRanges(allow);
  const isBlocked = compileRanges(BLOCKED_RANGES);
  // Text that is not an address is in no range and must not count as public.
  return (address) => isIP(address) !== 0 && (isAllowed(address) || !isBlocked(address));
}

/** One list per family: a shared list would match every IPv4 address with the IPv4-mapped range. */
function compileRanges(ranges: readonly string[]): (address: string) => boolean {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    lists[familyOf(address)].addSubnet(address, Number(bits), familyOf(address));
  }
  return (address) => lists[familyOf(address)].check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** Does not say what a name resolves to: a key that may subscribe could read the addresses of internal names. `tidings check` says it. */
export function refusedAddressError(host: string): GiveUp {
  const what = isIP(host) === 0 ? `${host} does not lead to a public address` : `${host} is not a public address`;
  return new GiveUp('TIDINGS_HTTP_ADDRESS_REFUSED', `${what}; allow private ranges in network.allow`);
}

/** Of each family: a name may have thousands of addresses, and to try one takes time of the loop that delivers. */
const MAX_ADDRESSES = 8;

function firstOfEachFamily(all: readonly LookupAddress[]): LookupAddress[] {
  const left = new Map<number, number>();
  return all.filter(({ family }) => {
    const count = left.get(family) ?? MAX_ADDRESSES;
    left.set(family, count - 1);
    return count > 0;
  });
}

/**
 * A `lookup` for sockets that fails when any address of the name is refused. It resolves the name once per connection and
 * returns only the addresses it has checked.
 */
export function createGuardedLookup(
  mayConnect: (address: string) => boolean = () => true,
  lookupAll: LookupAll = lookupHost,
): LookupFunction {
  return (hostname, options, callback) => {
    lookupAll(hostname, { ...options, all: true }, (error, all) => {
      if (error !== null) return callback(error, '', 0);
      if (all.length === 0) return callback(new Error(`${hostname} has no address`), '', 0);
      const addresses = firstOfEachFamily(all);
      const refused = addresses.find(({ address }) => !mayConnect(address));
      if (refused !== undefined) return callback(refusedAddressError(hostname), '', 0);
      if (options.all === true) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? '', first?.family);
    });
  };
}
