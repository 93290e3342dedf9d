/**
 * Handles the errors of HTTP/2 streams that belong to no request. Node makes one when a server responds to a request that was given up
 * before its body was sent, and undici does not know it: the next error of the connection would end the process.
 */

import { subscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';

let isSubscribed = false;

/** For all HTTP/2 clients of this thread. The errors of a request still get to it. */
export function ignoreErrorsOfOrphans(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe('http2.client.stream.created', (message) => {
    const { stream } = message as { readonly stream: ClientHttp2Stream };
    stream.on('error', () => {});
  });
}
