/** Looks at an endpoint without sending it anything: its name, its addresses, its certificate. */

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { errorMessage } from '../../core/model/errors.ts';
import { compileGuard } from './guard.ts';

export interface Probe {
  readonly ok: boolean;
  /** What was found, or what is wrong, in a few words. */
  readonly finding: string;
}

const TIMEOUT_MS = 10_000;

export async function probeEndpoint(url: string, allow: readonly string[]): Promise<Probe> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const mayConnect = compileGuard(allow);
    const refused = addresses.find((address) => !mayConnect(address));
    if (refused !== undefined)
      return bad(`${host} is ${refused}: not a public address; network.allow opens private ranges`);
    if (protocol === 'http:') return { ok: true, finding: `${host} is ${addresses.join(', ')}, plain http` };
    const { version, validTo } = await handshake(addresses[0] ?? host, host, Number(port || 443));
    return { ok: true, finding: `${host} is ${addresses.join(', ')}, ${version}, certificate until ${validTo}` };
  } catch (error) {
    return bad(errorMessage(error));
  }
}

function bad(finding: string): Probe {
  return { ok: false, finding };
}

/** To the address that was vetted: asked again, the name might have another. */
function handshake(address: string, host: string, port: number): Promise<{ version: string; validTo: string }> {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, ...servername, timeout: TIMEOUT_MS }, () => {
      resolve({ version: socket.getProtocol() ?? 'TLS', validTo: socket.getPeerCertificate().valid_to });
      socket.end();
    });
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    socket.on('error', reject);
  });
}
