import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGuard, createGuardedLookup, isCidrRange } from '../../../adapters/http/guard.ts';

describe('compileGuard', () => {
  const mayConnect = compileGuard([]);

  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '93.184.216.34',
    '172.15.0.1',
    '172.32.0.1',
    '168.63.129.17',
    '2606:4700::1111',
    '2a00:1450::1',
  ])('allows %s', (address) => {
    expect(mayConnect(address)).toBe(true);
  });

  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['private', '10.1.2.3'],
    ['private', '172.16.0.1'],
    ['private', '192.168.1.1'],
    ['cloud metadata', '169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['this network', '0.0.0.0'],
    ['multicast', '224.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['IPv4-mapped', '::ffff:127.0.0.1'],
    ['IPv4-mapped', '::ffff:8.8.8.8'],
    ['IPv4-compatible', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001::1'],
    ['unique local', 'fd12:3456::1'],
    ['link-local', 'fe80::1'],
    ['multicast', 'ff02::1'],
    ['Azure platform service', '168.63.129.16'],
    ['Azure platform service, IPv4-mapped', '::ffff:168.63.129.16'],
    ['Azure platform service, IPv4-mapped in hex', '::ffff:a83f:8110'],
    ['Azure platform service, NAT64', '64:ff9b::a83f:8110'],
    ['Azure platform service, 6to4', '2002:a83f:8110::'],
    ['AWS metadata', 'fd00:ec2::254'],
    ['Google Cloud metadata', 'fd20:ce::254'],
    ['Alibaba Cloud metadata', '100.100.100.200'],
    ['Oracle Cloud metadata', '192.0.0.192'],
    ['IBM Cloud platform services', '161.26.0.10'],
    ['IBM Cloud private endpoints', '166.9.12.1'],
  ])('refuses %s: %s', (_, address) => {
    expect(mayConnect(address)).toBe(false);
  });

  it('allows exactly the ranges of the allow list', () => {
    const open = compileGuard(['10.1.0.0/16', 'fd00::/8']);
    expect(['10.1.2.3', '10.2.0.1', 'fd00::5', 'fe80::1', '127.0.0.1'].map(open)).toEqual([
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  it('refuses every address of the private ranges', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const start = fc.constantFrom('10', '127', '0');
    fc.assert(
      fc.property(start, octet, octet, octet, (a, b, c, d) => {
        expect(mayConnect(`${a}.${b}.${c}.${d}`)).toBe(false);
      }),
    );
  });
});

describe('a name with thousands of addresses', () => {
  it('is tried at the first eight of each family, and no other is checked', async () => {
    const all = Array.from({ length: 4000 }, (_, n) =>
      n % 3 === 0
        ? { address: `2001:4860::${n.toString(16)}`, family: 6 }
        : { address: `93.184.${n >> 8}.${n & 255}`, family: 4 },
    );
    const checked: string[] = [];
    const lookup = createGuardedLookup(
      (address) => {
        checked.push(address);
        return true;
      },
      (_, __, callback) => callback(null, all),
    );
    const found = await new Promise((resolve) =>
      lookup('many.example', { all: true }, (_, addresses) => resolve(addresses)),
    );
    const of = (family: number) => all.filter((one) => one.family === family).slice(0, 8);
    expect(found).toEqual(all.filter((one) => of(4).includes(one) || of(6).includes(one)));
    expect(checked).toHaveLength(16);
  });
});

describe('isCidrRange', () => {
  it.each(['10.0.0.0/8', '127.0.0.1/32', 'fd00::/8', '::/0'])('accepts %s', (text) => {
    expect(isCidrRange(text)).toBe(true);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', '10.0.0/8', 'fd00::/129', 'localhost/8', '10.0.0.0/8/8', '10.0.0.0/', ''])(
    'refuses %j',
    (text) => {
      expect(isCidrRange(text)).toBe(false);
    },
  );
});
