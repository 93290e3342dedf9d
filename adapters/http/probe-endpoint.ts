/** Checks an endpoint's DNS, addresses, port and TLS certificate without sending it a request. */

import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP } from 'node:net';
import { connect } from 'node:tls';
import { errorMessage } from '../../core/model/errors.ts';
import { compileGuard } from './guard.ts';
import { TLS_OPTIONS } from './tls-options.ts';

export interface EndpointProbe {
  readonly ok: boolean;
  /** The result or the problem, in a few words. */
  readonly finding: string;
}

const TIMEOUT_MS = 10_000;

export async function probeEndpoint(url: string, allow: readonly string[]): Promise<EndpointProbe> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = (await lookup(host, { all: true })).map(({ address }) => address);
    const mayConnect = compileGuard(allow);
    const refused = addresses.find((address) => !mayConnect(address));
    if (refused !== undefined)
      return failed(
        `${host === refused ? host : `${host} resolves to ${refused}, which`} is not a public address; allow private ranges in network.allow`,
      );
    const resolved = isIP(host) === 0 ? `${host} resolves to ${addresses.join(', ')}` : host;
    if (protocol === 'http:') {
      await connectToAny(addresses, Number(port || 80));
      return { ok: true, finding: `${resolved}, plain http` };
    }
    const { version, validTo } = await handshake(addresses[0] ?? host, host, Number(port || 443));
    return { ok: true, finding: `${resolved}, ${version}, certificate valid until ${validTo}` };
  } catch (error) {
    return failed(errorMessage(error));
  }
}

function failed(finding: string): EndpointProbe {
  return { ok: false, finding };
}

/** Opens a connection and closes it: something listens on the port of one of the addresses. */
async function connectToAny(addresses: readonly string[], port: number): Promise<void> {
  const attempts = addresses.map(
    (host) =>
      new Promise<void>((resolve, reject) => {
        const socket = connectTcp({ host, port, timeout: TIMEOUT_MS }, () => {
          resolve();
          socket.destroy();
        });
        socket.on('timeout', () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
        socket.on('error', reject);
      }),
  );
  const outcomes = await Promise.allSettled(attempts);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined && outcomes.every(({ status }) => status === 'rejected')) throw failure.reason;
}

/** Connects to the checked address: a second lookup could return another. */
function handshake(address: string, host: string, port: number): Promise<{ version: string; validTo: string }> {
  const servername = isIP(host) === 0 ? host : undefined;
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port, servername, timeout: TIMEOUT_MS, ...TLS_OPTIONS }, () => {
      resolve({ version: socket.getProtocol() ?? 'TLS', validTo: socket.getPeerCertificate().valid_to });
      socket.end();
    });
    socket.on('timeout', () => socket.destroy(new Error(`no response within ${TIMEOUT_MS / 1000} s`)));
    socket.on('error', reject);
  });
}
