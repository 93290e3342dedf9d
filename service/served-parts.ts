/** Which parts of the HTTP API `tidings serve` serves at an address. */

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
