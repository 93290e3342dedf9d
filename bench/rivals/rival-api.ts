/** Calls the HTTP API of another service. A call that fails names the variable that is probably wrong. */

import { Agent, request } from 'undici';
import { CALLS_IN_FLIGHT } from './load.ts';
import { RivalError, type RivalSettings } from './settings.ts';

export interface RivalApi {
  /** Returns the parsed body of the response. */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
  close(): Promise<void>;
}

export function openRivalApi(name: string, { url, key, variables }: RivalSettings): RivalApi {
  const dispatcher = new Agent({ connections: CALLS_IN_FLIGHT });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return {
    async call(method, path, body) {
      const address = `${url}${path}`;
      const payload = body === undefined ? null : JSON.stringify(body);
      const answer = await request(address, { method, dispatcher, headers, body: payload }).catch((error: Error) => {
        throw new RivalError(`${variables.url}: ${name} does not respond at ${url}: ${error.message}`);
      });
      const text = await answer.body.text();
      if (answer.statusCode < 300) return text === '' ? undefined : JSON.parse(text);
      const response = `${name} responded to ${method} ${path} with ${answer.statusCode}: ${text.slice(0, 300)}`;
      if (answer.statusCode === 401 || answer.statusCode === 403) throw new RivalError(`${variables.key}: ${response}`);
      if (answer.statusCode === 404) throw new RivalError(`${variables.url}: ${response}`);
      throw new Error(response);
    },
    close: () => dispatcher.close(),
  };
}
