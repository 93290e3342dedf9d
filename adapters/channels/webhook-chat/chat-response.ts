/**
 * Interprets the response of a chat's webhook as accepted, RetryLater or GiveUp by its status. Each chat adds its own error
 * codes and explanations.
 */

import type { ErrorCode } from '../../../core/model/error-codes.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import type { Instant } from '../../../core/model/time.ts';
import type { Receipt } from '../../../core/ports/channel.ts';
import { cutBody, type HttpResponse } from '../../http/http-transport.ts';
import { readRetryAfter } from '../../http/response-headers.ts';

/**
 * `busy`: too many messages; `failing`: a fault of the chat, retried on the usual schedule; `bad-message`: this message is
 * given up, the next may succeed; `refused`: no message is accepted until a person changes something.
 */
export type Refusal = 'busy' | 'failing' | 'bad-message' | 'refused';

export interface ResponseReading {
  /** The display name of the chat. */
  readonly label: string;
  /** What the response means. @default - by its status */
  readonly refusal?: Refusal;
  /** The chat's word for the error: `WorkflowTriggerIsNotEnabled`. @default - none */
  readonly word?: string;
  /** What to do about it, for people. @default - none */
  readonly hint?: string;
  /** Milliseconds to wait. @default - the header Retry-After */
  readonly retryAfter?: number;
}

export function interpretChatResponse(response: HttpResponse, at: Instant, reading: ResponseReading): Receipt {
  const { headers, ...receipt } = { ...response, body: cutBody(response.body) };
  const { label, word = '', hint, retryAfter = readRetryAfter(headers, at) } = reading;
  const isAccepted = receipt.status >= 200 && receipt.status < 300;
  if (isAccepted && reading.refusal === undefined) return receipt;
  const message = `${label} answered ${[receipt.status, word].filter(Boolean).join(' ')}${hint === undefined ? '' : `: ${hint}`}`;
  const giveUp = (code: ErrorCode, gone: boolean) => new GiveUp(code, message, { evidence: receipt, gone });
  switch (reading.refusal ?? refusalOf(receipt.status)) {
    case 'busy':
      return fail(new RetryLater('TIDINGS_CHAT_BUSY', message, { after: retryAfter, evidence: receipt }));
    case 'bad-message':
      return fail(giveUp('TIDINGS_CHAT_MESSAGE_REFUSED', false));
    case 'refused':
      return fail(giveUp(CHAT_REFUSED, true));
    default:
      return fail(new RetryLater('TIDINGS_CHAT_STATUS', message, { after: retryAfter, evidence: receipt }));
  }
}

/** The code of a permanent error that affects every message. */
export const CHAT_REFUSED = 'TIDINGS_CHAT_REFUSED';

function refusalOf(status: number): Refusal {
  if (status === 429) return 'busy';
  if ([401, 403, 404, 410].includes(status)) return 'refused';
  return [400, 405, 411, 413, 414, 415, 422].includes(status) ? 'bad-message' : 'failing';
}

function fail(error: Error): never {
  throw error;
}

/** A member of the response's JSON object, at a path. Undefined if the body is cut, is not JSON, or has no such text. */
export function textAt(body: string, ...path: readonly string[]): string | undefined {
  const value = valueAt(body, path);
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : undefined;
}

function valueAt(body: string, path: readonly string[]): unknown {
  try {
    return path.reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      JSON.parse(body),
    );
  } catch {
    return undefined;
  }
}
