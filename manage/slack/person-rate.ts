/**
 * Limits how often one person uses the app, before anything is asked of Slack, which allows the whole app a number of calls a minute. What
 * they read instead costs no call of the Web API, wherever Slack takes an answer without one.
 */

import { MINUTE, SECOND } from '../../core/model/time.ts';
import type { BucketSize } from '../../core/model/token-bucket.ts';
import type { SlackPorts } from './slack-ports.ts';
import { respond } from './slack-reply.ts';
import type { SlackRequest } from './slack-request.ts';
import { openTask } from './slack-task.ts';

/** More than people type and press. Slack allows the app 50 questions about channels a minute. */
const REQUESTS: BucketSize = { burst: 15, interval: 5 * SECOND };

/** Of requests that Slack takes an answer to only as a message. */
const MESSAGES: BucketSize = { burst: 1, interval: MINUTE };

/** The acknowledgement of a request beyond the limit, which is not handled. Undefined: it is within. */
export async function refuseTooMany(
  ports: SlackPorts,
  request: SlackRequest,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const { requestLimiter, clock } = ports;
  const { user, responseUrl } = request.place;
  if (request.kind === 'ignored') return undefined;
  const wait = await requestLimiter.take(`slack ${user}`, REQUESTS, clock.now());
  if (wait === 0) return undefined;
  const text = `You are using Tidings too often. Try again in ${Math.ceil(wait / SECOND)} s.`;
  if (request.kind === 'command') return { response_type: 'ephemeral', text };
  if (request.kind === 'submission') {
    const [block = ''] = Object.keys(request.view.values);
    return { response_action: 'errors', errors: { [block]: text } };
  }
  if (responseUrl !== undefined) await respond(ports, responseUrl, { text }, 'add').catch(() => false);
  // An old home stays.
  else if (request.kind !== 'home') await sendMessage(ports, request, text);
  return {};
}

async function sendMessage(ports: SlackPorts, request: SlackRequest, text: string): Promise<void> {
  const { requestLimiter, clock } = ports;
  const wait = await requestLimiter.take(`slack message ${request.place.user}`, MESSAGES, clock.now());
  if (wait === 0) await openTask(ports, request, { verb: 'say', args: { text } });
}
