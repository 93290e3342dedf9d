/**
 * Asks a receiver whether it wants events before it is subscribed: with a signed `tidings.ping`, or with the handshake of the
 * CloudEvents web hook specification, whose granted rate is kept. The guard against private addresses applies to both.
 */

import { deliveryId } from '../../../core/model/delivery.ts';
import { isOwnFault } from '../../../core/model/error-codes.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Rate, Subscription } from '../../../core/model/subscription.ts';
import { type Instant, MINUTE } from '../../../core/model/time.ts';
import type { ApiPorts } from '../http/api-ports.ts';
import { Problem } from '../http/problem.ts';

/** `none`: the receiver is not asked. */
export const VERIFICATIONS = ['none', 'ping', 'cloudevents'] as const;
export type Verification = (typeof VERIFICATIONS)[number];

type VerifyPorts = Pick<ApiPorts, 'channelFor' | 'http' | 'config' | 'clock' | 'beginLong'>;

/** Throws a problem if the receiver does not agree. Returns the subscription, with the rate that the receiver granted. */
export async function verifyEndpoint(
  ports: VerifyPorts,
  subscription: Subscription,
  verification: Verification,
): Promise<Subscription> {
  if (verification === 'none') return subscription;
  await ports.beginLong?.();
  try {
    if (verification === 'ping') {
      await sendPing(ports, subscription);
      return subscription;
    }
    const granted = await askForConsent(ports, subscription);
    return granted === undefined ? subscription : { ...subscription, rate: slower(subscription.rate, granted) };
  } catch (error) {
    if (!(error instanceof RetryLater || error instanceof GiveUp)) throw error;
    // It is no answer of the receiver, and names secrets of the installation.
    if (isOwnFault(error.code)) throw error;
    const { status } = error.evidence;
    throw new Problem(422, 'TIDINGS_API_UNVERIFIED', {
      detail: `the receiver did not accept the ${verification === 'ping' ? 'ping' : 'OPTIONS request'}: ${error.message}`,
      errors: [{ pointer: '/url', detail: status === undefined ? error.message : `${status} from the receiver` }],
    });
  }
}

/** A test event without a record. Receivers need not know its type. */
function pingEvent({ name }: Pick<Subscription, 'name'>, now: Instant): TidingsEvent {
  return {
    specversion: '1.0',
    id: `evt_${deliveryId('ping', name, now).slice('dlv_'.length)}`,
    type: 'tidings.ping',
    source: '/tidings',
    subject: `subscription/${name}`,
    time: now,
    datacontenttype: 'application/json',
    test: true,
    data: {
      version: 1,
      record: { name },
      previous: {},
      changes: [],
      occurred: { after: null, before: now },
      cause: 'person',
    },
  };
}

async function sendPing({ channelFor, clock }: VerifyPorts, subscription: Subscription): Promise<void> {
  const now = clock.now();
  const event = pingEvent(subscription, now);
  const delivery = deliveryId('ping', subscription.name, now);
  // A template is about records, and the ping has none.
  const { template: _, ...plain } = subscription;
  await channelFor(subscription.to).send({
    subscription: plain,
    events: [event],
    delivery,
    at: now,
    timeZone: subscription.timeZone ?? 'UTC',
    mark: 'test',
  });
}

/** https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection */
async function askForConsent({ http, config }: VerifyPorts, { to, owner }: Subscription): Promise<Rate | undefined> {
  const { url } = to.settings as { readonly url?: string };
  if (url === undefined) {
    throw new GiveUp('TIDINGS_API_UNVERIFIED', 'only HTTP endpoints support verify: cloudevents');
  }
  const origin = URL.parse(config.manage?.url ?? '')?.hostname ?? 'tidings';
  const asked = { 'user-agent': 'Tidings', 'webhook-request-origin': origin };
  const { status, headers } = await http.options(new URL(url), asked, owner);
  const read = (name: string) => [headers[name] ?? ''].flat().join(',').trim();
  const allowed = read('webhook-allowed-origin');
  if (status < 200 || status >= 300) {
    throw new GiveUp('TIDINGS_API_UNVERIFIED', `${status} to OPTIONS`, { evidence: { status } });
  }
  if (allowed !== '*' && allowed.toLowerCase() !== origin.toLowerCase()) {
    throw new GiveUp(
      'TIDINGS_API_UNVERIFIED',
      `WebHook-Allowed-Origin: expected '${origin}' or '*', got '${allowed.slice(0, 100)}'`,
    );
  }
  const rate = read('webhook-allowed-rate');
  return /^[1-9]\d{0,5}$/.test(rate) ? { count: Number(rate), per: MINUTE } : undefined;
}

function slower(wanted: Rate | undefined, granted: Rate): Rate {
  return wanted !== undefined && wanted.count / wanted.per < granted.count / granted.per ? wanted : granted;
}
