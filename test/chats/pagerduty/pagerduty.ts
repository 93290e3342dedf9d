/**
 * A simulated PagerDuty: the Events API v2 of one service, with its alerts and change events on a page. For tests. Events are accepted before they are processed: a resolve without an alert changes nothing.
 */

import { isObject, type JsonObject, RequestWindow, textOf } from '../../../simulator/chat/json.ts';
import {
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
  type WebhookRequest,
  type WebhookResponse,
} from '../../../simulator/chat/webhook-server.ts';
import { pageOf } from './page.ts';

export interface PagerDutyOptions extends ChatServerOptions {
  /** Events a minute; Infinity for no limit. @default 120 */
  readonly perMinute?: number;
}

export interface Alert {
  readonly dedupKey: string;
  readonly at: number;
  readonly payload: JsonObject;
  /** How often it was triggered. */
  count: number;
  isOpen: boolean;
}

export interface PagerDuty extends ChatServer {
  /** Ends with a slash. */
  readonly apiUrl: string;
  readonly routingKey: string;
  readonly alerts: readonly Alert[];
  readonly changes: readonly JsonObject[];
}

const ROUTING_KEY = 'R0STANDINKEY0123456789ABCDEF0123';
const SEVERITIES = ['critical', 'error', 'warning', 'info'];
const MAX_BYTES = 512 * 1024;

export async function startPagerDuty(options: PagerDutyOptions = {}): Promise<PagerDuty> {
  const { perMinute = 120, now = Date.now } = options;
  const window = new RequestWindow(perMinute, 60_000, now);
  const alerts: Alert[] = [];
  const changes: JsonObject[] = [];

  const receive = ({ url, body, bytes }: WebhookRequest): WebhookResponse => {
    const isChange = url.pathname === '/v2/change/enqueue';
    if (!isChange && url.pathname !== '/v2/enqueue') return { status: 404 };
    if (window.remaining === 0) return { status: 429, body: { status: 'throttle exceeded' } };
    window.add();
    const errors = bytes > MAX_BYTES ? ['Event is too large'] : checkEvent(body ?? {}, isChange);
    if (errors.length > 0)
      return { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors } };
    const key = textOf(body?.dedup_key);
    const payload = isObject(body?.payload) ? body.payload : {};
    if (isChange) changes.push(payload);
    else process(key, textOf(body?.event_action), payload);
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: key } };
  };

  const process = (key: string, action: string, payload: JsonObject): void => {
    const open = alerts.find((alert) => alert.dedupKey === key && alert.isOpen);
    if (action === 'resolve' && open !== undefined) open.isOpen = false;
    if (action !== 'trigger') return;
    if (open === undefined) alerts.push({ dedupKey: key, at: now(), payload, count: 1, isOpen: true });
    else open.count += 1;
  };

  const server = await startChatServer(options, { receive, page: () => pageOf(alerts, changes) });
  return Object.assign(server, { apiUrl: `${server.url}/`, routingKey: ROUTING_KEY, alerts, changes });
}

/** What is wrong with an event, as PagerDuty says it. */
export function checkEvent(event: JsonObject, isChange: boolean, key: string = ROUTING_KEY): readonly string[] {
  const { routing_key: routingKey, event_action: action, dedup_key: dedup, payload } = event;
  if (textOf(routingKey).length !== 32) return ["Length of 'routing_key' is incorrect (should be 32 characters)"];
  if (routingKey !== key) return ["'routing_key' is invalid"];
  if (!isChange && !['trigger', 'acknowledge', 'resolve'].includes(textOf(action)))
    return ["'event_action' is invalid"];
  if (textOf(dedup).length > 255) return ["'dedup_key' is too long (maximum is 255 characters)"];
  if (!isChange && action !== 'trigger') return textOf(dedup) === '' ? ["'dedup_key' is missing or blank"] : [];
  if (!isObject(payload)) return ["'payload' is missing or blank"];
  const { summary, source, severity, timestamp } = payload;
  return [
    ...(textOf(summary).trim() === '' ? ["'payload.summary' is missing or blank"] : []),
    ...(textOf(summary).length > 1024 ? ["'payload.summary' is too long (maximum is 1024 characters)"] : []),
    ...(textOf(source).trim() === '' ? ["'payload.source' is missing or blank"] : []),
    ...(isChange || SEVERITIES.includes(textOf(severity)) ? [] : ["'payload.severity' is invalid"]),
    ...(timestamp !== undefined && Number.isNaN(Date.parse(textOf(timestamp)))
      ? ["'payload.timestamp' is invalid"]
      : []),
  ];
}
