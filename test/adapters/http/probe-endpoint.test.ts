/** The probe of an endpoint: its port, without a request. */

import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { probeEndpoint } from '../../../adapters/http/probe-endpoint.ts';

it('connects to the port and sends nothing', async () => {
  const received: Buffer[] = [];
  const server = createServer((socket) => socket.on('data', (data) => received.push(data)).on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const probe = () => probeEndpoint(`http://127.0.0.1:${port}`, ['127.0.0.0/8']);
  expect(await probe()).toEqual({ ok: true, finding: '127.0.0.1, plain http' });
  await new Promise((resolve) => server.close(resolve));
  expect(received).toEqual([]);
  expect(await probe()).toEqual({ ok: false, finding: `connect ECONNREFUSED 127.0.0.1:${port}` });
});
