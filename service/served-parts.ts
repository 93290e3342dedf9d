/** Which parts of the HTTP API `tidings serve` serves at an address. */

import { isIP } from 'node:net';
import type { Config } from '../runtime/config/config.ts';

/** On the network only if the config says so. */
export function hasApi({ manage }: Pick<Config, 'manage'>, host?: string): boolean {
  return manage?.api === undefined ? isLoopback(host) : manage.api !== 'off';
}

/** On the network only if the config says so. */
export function hasConsole({ manage }: Pick<Config, 'manage'>, host?: string): boolean {
  return manage?.console === undefined ? isLoopback(host) : manage.console === 'on';
}

/** @default - the default host is */
export const isLoopback = (host = '127.0.0.1') => /^(127\.[\d.]+|::1|localhost)$/.test(host);

/**
 * Whether a request for this host name may be meant for a server on the loopback address: by an address, a local name or
 * `manage.url`. A page on the web can make its own name lead here, and could then read what needs no log-in.
 */
export function isOwnName({ manage }: Pick<Config, 'manage'>, hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$|\.$/g, '');
  // Names without a dot are of this network.
  if (isIP(name) !== 0 || !name.includes('.') || name.endsWith('.localhost')) return true;
  return name === URL.parse(manage?.url ?? '')?.hostname;
}
