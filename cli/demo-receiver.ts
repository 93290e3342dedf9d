/** A receiver as a user would write one: checks the signature over the raw body, then takes the event. */

import { timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { signingKey, signWebhook } from '../core/delivery/sign.ts';
import { fromMillis } from '../core/model/time.ts';

export function demoReceiver(secret: string): RequestListener {
  const key = signingKey(secret);
  return async (request, response) => {
    const header = (name: string) => String(request.headers[name] ?? '');
    const at = fromMillis(Number(header('webhook-timestamp')) * 1000);
    const signed = signWebhook(header('webhook-id'), at, await text(request), [key]);
    // While a secret changes there are several signatures: one that fits will do.
    const fits = header('webhook-signature')
      .split(' ')
      .some((one) => same(signed['webhook-signature'], one));
    response.writeHead(fits ? 204 : 401).end();
  };
}

function same(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
