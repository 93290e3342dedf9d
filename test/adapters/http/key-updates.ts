/**
 * A TLS server that sends key updates, which no API of Node does: it stands before a server of Node, and continues in its name with the
 * keys that this one logs (RFC 8446, sections 4.6.3, 5.2, 7.1 and 7.2).
 */

import { createCipheriv, createHmac } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { CERTIFICATE, CERTIFICATE_KEY } from './certificate.ts';

const HANDSHAKE = 22;
const DATA = 23;
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 0]);

/** HKDF-Expand-Label of one block, without a context. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, length);
}

function seal(secret: Buffer, sequence: number, type: number, content: Buffer): Buffer {
  const nonce = expand(secret, 'iv', 12);
  nonce.writeInt32BE(nonce.readInt32BE(8) ^ sequence, 8);
  const header = Buffer.from([DATA, 3, 3, 0, 0]);
  header.writeUInt16BE(content.length + 1 + 16, 3);
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), nonce).setAAD(header);
  const sealed = cipher.update(Buffer.concat([content, Buffer.from([type])]));
  return Buffer.concat([header, sealed, cipher.final(), cipher.getAuthTag()]);
}

function countRecords(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) count += 1;
  return count;
}

/** Sends so many key updates and then the response, as soon as it has a request. */
export async function startKeyUpdates(count: number, response: string, stops: (() => unknown)[]): Promise<URL> {
  const listen = async (server: Server) => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    return (server.address() as AddressInfo).port;
  };
  let continueWith: (secret: Buffer) => void = () => {};
  const settings = { cert: CERTIFICATE, key: CERTIFICATE_KEY, minVersion: 'TLSv1.3' } as const;
  const behind = createTlsServer({ ...settings, ciphers: 'TLS_AES_128_GCM_SHA256' }, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => continueWith(secret));
  });
  let secret: Buffer = Buffer.alloc(0);
  behind.on('keylog', (line) => {
    const [label, , hex = ''] = String(line).trim().split(' ');
    if (label === 'SERVER_TRAFFIC_SECRET_0') secret = Buffer.from(hex, 'hex');
  });
  const port = await listen(behind);
  const before = createServer((client: Socket) => {
    const server = connect(port, '127.0.0.1');
    stops.push(
      () => client.destroy(),
      () => server.destroy(),
    );
    client.on('error', () => {});
    server.on('error', () => {});
    let flights = 0;
    /** Of the server, with its last key. */
    let records = 0;
    client.on('data', (chunk) => {
      flights += 1;
      server.write(chunk);
    });
    const passOn = (chunk: Buffer) => {
      if (flights > 1) records += countRecords(chunk);
      client.write(chunk);
    };
    server.on('data', passOn);
    continueWith = (first) => {
      // Session tickets may follow.
      server.off('data', passOn).resume();
      const sent: Buffer[] = [];
      let current = first;
      for (let left = count; left > 0; left--) {
        sent.push(seal(current, records, HANDSHAKE, KEY_UPDATE));
        current = expand(current, 'traffic upd', 32);
        records = 0;
      }
      client.write(Buffer.concat([...sent, seal(current, records, DATA, Buffer.from(response))]));
    };
  });
  stops.push(
    () => behind.close(),
    () => before.close(),
  );
  return new URL(`https://127.0.0.1:${await listen(before)}/`);
}
