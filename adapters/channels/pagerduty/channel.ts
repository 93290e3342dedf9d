/**
 * Sends events to PagerDuty. What is late or due soon triggers the alert of its record, what ends it resolves the alert, and
 * the rest are change events, which notify no one.
 */

import { createHash } from 'node:crypto';
import { buildChatCard, type Span } from '../../../core/messages/chat-card.ts';
import { clip } from '../../../core/messages/clip.ts';
import type { Links } from '../../../core/messages/link.ts';
import { renderSubscriptionTemplate } from '../../../core/messages/subscription-template.ts';
import { GiveUp } from '../../../core/model/errors.ts';
import type { TidingsEvent } from '../../../core/model/event.ts';
import type { Channel, OutboundMessage, Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { HttpResponse, HttpTransport } from '../../http/http-transport.ts';
import { redactResponse } from '../../http/redact-response.ts';
import { USER_AGENT } from '../../http/user-agent.ts';
import { type ResolveSecret, withSecrets } from '../../secrets/with-secrets.ts';
import { CHAT_REFUSED, interpretChatResponse } from '../webhook-chat/chat-response.ts';
import type { PagerDutySettings } from './settings.ts';
import { PAGERDUTY_TEMPLATE_PARTS } from './template-parts.ts';

/** Characters of the fields that PagerDuty limits. */
const MAX_SUMMARY_LENGTH = 1024;
const MAX_DEDUP_LENGTH = 255;

const API_URL = 'https://events.pagerduty.com/';
const KEY_INVALID = 'TIDINGS_SETTINGS_ROUTING_KEY_INVALID';

export interface PagerDutyRequest {
  /** Below the base URL. */
  readonly path: 'v2/enqueue' | 'v2/change/enqueue';
  /** Without the routing key. */
  readonly body: {
    readonly event_action?: 'trigger' | 'resolve';
    /** The same for all events about one record. */
    readonly dedup_key?: string;
    readonly payload?: object;
    readonly links?: readonly object[];
    readonly client?: string;
  };
}

export interface PagerDutyOptions {
  readonly links: Links;
  /** The AWS stack that Tidings runs in, for the commands in the advice. @default - not in AWS */
  readonly stack?: string;
  /** What the template rendered. @default - the default line */
  readonly summary?: string;
}

/** Events after which nobody has to act on the record any more. */
const RESOLVING = /\.(?:closed|paid|deleted|deactivated|recovered|back_on_track)$/;

export function renderPagerDutyEvent(
  outbound: OutboundMessage,
  { links, stack, summary }: PagerDutyOptions,
): PagerDutyRequest {
  const { events, mark } = outbound;
  const [event] = events;
  const card = buildChatCard(outbound, { links, stack });
  const dedup = dedupKeyOf(event);
  const isTest = mark === 'test' || event.test === true;
  if (!isTest && RESOLVING.test(event.type))
    return { path: 'v2/enqueue', body: { event_action: 'resolve', dedup_key: dedup } };
  const line = [card.note, summary ?? card.line].filter((part) => part !== undefined).join(' ');
  const link = card.title.find((span) => span.link !== undefined)?.link;
  const about = {
    summary: clip(line, MAX_SUMMARY_LENGTH) || event.type,
    source: clip(event.source, 200) || 'tidings',
    timestamp: card.time,
    custom_details: Object.fromEntries([
      ...card.facts.map(({ label, value }) => [label, value]),
      ...(card.advice.length === 0 ? [] : [['What to do', textOf(card.advice)]]),
      ['Event', event.type],
    ]),
  };
  const recordLinks = link === undefined ? undefined : [{ href: link, text: 'Open the record' }];
  const severity = SEVERITIES[card.urgency];
  // A test must not wake anyone.
  if (isTest || severity === undefined)
    return { path: 'v2/change/enqueue', body: { payload: about, links: recordLinks } };
  const component = event.subject.slice(0, event.subject.indexOf('/'));
  return {
    path: 'v2/enqueue',
    body: {
      event_action: 'trigger',
      dedup_key: dedup,
      client: 'Tidings',
      payload: { ...about, severity, component, class: clip(event.type, 200) },
      links: recordLinks,
    },
  };
}

const SEVERITIES: Readonly<Record<string, 'error' | 'warning' | undefined>> = { late: 'error', soon: 'warning' };

const textOf = (spans: readonly Span[]) => spans.map(({ text }) => text).join('');

function dedupKeyOf({ source, subject }: TidingsEvent): string {
  const key = `tidings ${source} ${subject}`;
  if (key.length <= MAX_DEDUP_LENGTH && key.isWellFormed()) return key;
  return `tidings ${createHash('sha256').update(key).digest('hex')}`;
}

export interface PagerDutyChannelOptions extends PagerDutyOptions {
  readonly http: HttpTransport;
  readonly secrets: Secrets;
}

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': USER_AGENT };

export function pagerDutyChannels({ http, secrets, links, stack }: PagerDutyChannelOptions): {
  channelFor(settings: PagerDutySettings): Channel;
} {
  return {
    channelFor: (settings) => ({
      async send(outbound, signal) {
        const rendered = await renderSubscriptionTemplate(outbound, { links, parts: PAGERDUTY_TEMPLATE_PARTS });
        const { path, body } = renderPagerDutyEvent(outbound, { links, stack, summary: rendered?.texts.summary });
        const url = new URL(path, settings.api ?? API_URL);
        const receipt = await withSecrets(secrets, isRefused, async (resolve) => {
          const key = await routingKeyOf(settings, resolve);
          const response = await http.post(url, HEADERS, JSON.stringify({ routing_key: key, ...body }), signal);
          return interpret(redactResponse(response, [key]), outbound);
        });
        return rendered?.problem === undefined ? receipt : { ...receipt, remark: rendered.problem };
      },
    }),
  };
}

/** PagerDuty answers 202 once the event is queued, and 400 also for a key that it does not know. */
function interpret(response: HttpResponse, { at }: OutboundMessage): Receipt {
  const isKeyRefused = response.status === 400 && /routing_key/i.test(response.body);
  return interpretChatResponse(response, at, {
    label: 'PagerDuty',
    ...(isKeyRefused ? { refusal: 'refused', hint: 'the integration key is not valid' } : {}),
  });
}

function isRefused(error: unknown): boolean {
  return error instanceof GiveUp && [CHAT_REFUSED, KEY_INVALID].includes(error.code);
}

/** The key is secret: the error does not contain it. */
async function routingKeyOf({ routingKey }: PagerDutySettings, resolve: ResolveSecret): Promise<string> {
  const text = (await resolve(routingKey)).trim();
  if (/^[A-Za-z0-9]{32}$/.test(text)) return text;
  throw new GiveUp(KEY_INVALID, 'to.pagerduty.routingKey: expected an integration key of 32 letters and digits');
}

/** The URL that events are posted to. Throws GiveUp if the key does not exist. */
export async function pagerDutyUrl(settings: PagerDutySettings, secrets: Secrets): Promise<URL> {
  await routingKeyOf(settings, (reference) => secrets.resolve(reference));
  return new URL('v2/enqueue', settings.api ?? API_URL);
}
