/** Slack requests over HTTP: verifies that a request comes from Slack, and hands it to the app. */

import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import { RetryLater } from '../../core/model/errors.ts';
import { plus } from '../../core/model/time.ts';
import { createByteRate } from '../../runtime/byte-rate.ts';
import { receiveSlackRequest, SlackRequestInProgress, SlackRequestRefused } from './slack-app.ts';
import type { SlackPorts } from './slack-ports.ts';
import { MAX_SLACK_NESTING, readHttpBody, readSlackRequest } from './slack-request.ts';
import { LARGE_BODIES, readUnverified } from './unverified-body.ts';
import { findHeaderProblem, findSignatureProblem, SIGNATURE_WINDOW } from './verify-signature.ts';

const NO_REQUEST = `expected a command, an interaction or an event, with at most ${MAX_SLACK_NESTING} levels of nesting`;

export interface SlackHttpOptions {
  readonly ports: SlackPorts;
  /** The reference to the signing secret. */
  readonly signingSecret: string;
}

/** One URL for commands, interactions and events: `POST /slack`. */
export function slackHttpApp({ ports, signingSecret }: SlackHttpOptions): Hono {
  const app = new Hono();
  const mayRead = createByteRate(LARGE_BODIES);
  app.post('/slack', async (context) => {
    const signature = context.req.header('x-slack-signature') ?? '';
    const timestamp = context.req.header('x-slack-request-timestamp') ?? '';
    const now = ports.clock.now();
    const unread = findHeaderProblem({ timestamp, signature }, now);
    if (unread !== undefined) return context.text(`${unread}\n`, 401);
    const body = await readUnverified(context.req.raw, mayRead);
    if (body === 'too large') return context.text('expected at most 1 MB\n', 413);
    if (body === 'too many') return context.text('too many large requests at a time: try again\n', 503);
    const secret = (await ports.secrets.resolve(signingSecret)).trim();
    const problem = findSignatureProblem({ timestamp, signature, body: body.text }, secret, now);
    if (problem !== undefined) return context.text(`${problem}\n`, 401);
    if (await isReplayed(ports, signature)) return context.text('expected a request that was not seen before\n', 401);
    const payload = readHttpBody(context.req.header('content-type') ?? '', body.text);
    // Slack sends it once, when the URL is saved on the page of the app.
    if (payload?.type === 'url_verification') {
      const { challenge } = payload;
      return context.json({ challenge: typeof challenge === 'string' ? challenge : '' });
    }
    // Slack checks the certificate of a URL with this.
    if (payload?.ssl_check === '1') return context.body(null, 200);
    const request = payload === undefined ? undefined : readSlackRequest(payload);
    if (request === undefined) return context.text(`${NO_REQUEST}\n`, 400);
    try {
      const ack = await receiveSlackRequest(ports, request);
      // Slack shows a text body to people, and an empty object as nothing.
      return Object.keys(ack).length === 0 ? context.body(null, 200) : context.json(ack);
    } catch (error) {
      // Slack could not be asked whose app this is.
      if (error instanceof RetryLater) return context.text('try again in a moment\n', 503);
      if (error instanceof SlackRequestRefused) return context.text(`${error.message}\n`, 403);
      if (!(error instanceof SlackRequestInProgress)) throw error;
      return context.text('this request is being handled\n', 503);
    }
  });
  return app;
}

/** Slack signs a retry again: the same signature twice is a copy. Remembered by all processes for as long as it would be valid. */
async function isReplayed({ idempotency, clock, randomBytes }: SlackPorts, signature: string): Promise<boolean> {
  const startedAt = clock.now();
  const id = `slack-signature ${createHash('sha256').update(signature).digest('hex')}`;
  // A request may be signed up to five minutes ahead of our clock.
  const expiresAt = plus(startedAt, 2 * SIGNATURE_WINDOW + 1000);
  const times = { staleBefore: plus(startedAt, -2 * SIGNATURE_WINDOW), expiresAt };
  // A write whose response was lost may have succeeded: then the stored request is this one.
  const fingerprint = Buffer.from(randomBytes(12)).toString('hex');
  const { earlier } = await idempotency.begin(id, { fingerprint, startedAt }, times);
  return earlier !== undefined && earlier.fingerprint !== fingerprint;
}
