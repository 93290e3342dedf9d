/** No server can choose a key exchange that takes us long: all clients offer the same cipher suites. */

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, it } from 'vitest';
import { openGuardedFetch } from '../../../adapters/http/guarded-fetch.ts';
import { openHttpTransport } from '../../../adapters/http/http-transport.ts';
import { probeEndpoint } from '../../../adapters/http/probe-endpoint.ts';
import { workApi } from '../../../adapters/sources/work/client.ts';
import { RSA_CERTIFICATE, RSA_CERTIFICATE_KEY } from './certificate.ts';

const ALLOW = ['127.0.0.0/8'];

const CLIENTS: readonly (readonly [name: string, connect: (url: string) => Promise<unknown>])[] = [
  [
    'of receivers',
    async (url) => {
      const transport = openHttpTransport({ allow: ALLOW });
      await transport.post(new URL(url), {}, 'hello').finally(() => transport.close());
    },
  ],
  [
    'of links',
    async (url) => {
      const guarded = openGuardedFetch(ALLOW);
      const options = { redirect: 'manual', headers: {}, signal: AbortSignal.timeout(20_000) } as const;
      await guarded.fetch(url, options).finally(() => guarded.close());
    },
  ],
  [
    'of sources',
    async (url) => {
      const api = workApi({ baseUrl: url, token: 'token', retries: 0 });
      await api.quota().finally(() => api.close());
    },
  ],
  ['of the check of an endpoint', (url) => probeEndpoint(url, ALLOW)],
];

it.each(CLIENTS)('the client %s offers no Diffie-Hellman with a prime of the server', async (_, connect) => {
  const server = createServer({
    cert: RSA_CERTIFICATE,
    key: RSA_CERTIFICATE_KEY,
    dhparam: 'auto',
    maxVersion: 'TLSv1.2',
    ciphers: 'DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-SHA256:DHE-RSA-CHACHA20-POLY1305',
  });
  const outcome = new Promise((resolve) => {
    server.once('tlsClientError', resolve);
    server.once('secureConnection', (socket) => socket.destroy());
    server.once('secureConnection', () => resolve('connected'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  await connect(`https://127.0.0.1:${port}/`).catch(() => {});
  server.close();
  expect(await outcome).toMatchObject({ code: 'ERR_SSL_NO_SHARED_CIPHER' });
});
