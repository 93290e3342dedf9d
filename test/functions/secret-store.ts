/**
 * A fake of Parameter Store and Secrets Manager: no emulator from npm has them. Stores parameters, returns stored values,
 * and refuses unknown names as AWS does.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type NextFault, respondWithFault } from './faulty-aws.ts';

export interface SecretStore {
  readonly endpoint: string;
  /** Values by name: `/tidings/token` is a parameter, everything else a secret. Tests may change them. */
  readonly values: Map<string, string>;
  /** Number of requests. */
  requests: number;
  /** Decides which requests fail. @default - none */
  nextFault?: NextFault;
  stop(): Promise<void>;
}

export async function startSecretStore(values: Readonly<Record<string, string>>): Promise<SecretStore> {
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as { Name?: string; SecretId?: string; Value?: string };
    const fault = store.nextFault?.(String(request.headers['x-amz-target']));
    if (fault !== undefined) return respondWithFault(response, fault);
    const name = body.Name ?? body.SecretId ?? '';
    if (body.Value !== undefined) store.values.set(name, body.Value);
    const value = store.values.get(name);
    store.requests += 1;
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    if (value === undefined) {
      const type = body.Name === undefined ? 'ResourceNotFoundException' : 'ParameterNotFound';
      response.writeHead(400).end(JSON.stringify({ __type: type, message: 'not there' }));
    } else if (request.headers['x-amz-target'] === 'AmazonSSM.GetParameter') {
      response.end(JSON.stringify({ Parameter: { Name: name, Type: 'SecureString', Value: value } }));
    } else if (request.headers['x-amz-target'] === 'AmazonSSM.PutParameter') {
      response.end(JSON.stringify({ Version: 1 }));
    } else {
      response.end(JSON.stringify({ Name: name, SecretString: value }));
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const store: SecretStore = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    values: new Map(Object.entries(values)),
    requests: 0,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
  return store;
}
