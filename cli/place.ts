/** Where a command finds its data: a data directory, a stack in AWS, or the management API of a server elsewhere. */

import { Option } from 'commander';
import { describeAddress } from '../adapters/channels/registry.ts';
import type { ErrorCode } from '../core/model/error-codes.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { TidingsApiError, TidingsClient } from '../kit/client.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Stores, StoresOptions } from '../runtime/inspect/stores.ts';
import { apiStores } from './api-stores.ts';
import type { Context } from './context.ts';

export interface Place extends DataLocation {
  /** The address of the management API. @default - the data directory or the stack */
  readonly api?: string;
  /** The key of the API. @default - TIDINGS_API_KEY */
  readonly key?: string;
}

/** For commands that also work through the API. `program.ts` reads TIDINGS_API_URL. */
export const apiOption = () =>
  new Option('--api <url>', 'use the management API at this address instead (or TIDINGS_API_URL)').conflicts([
    'data',
    'aws',
  ]);

export const keyOption = () => new Option('--key <key>', 'the key of the API; better: TIDINGS_API_KEY');

/** The stores, and the client if they are behind the API: it makes the changes then. */
export interface PlacedStores extends Stores {
  readonly client?: TidingsClient;
  /** The receiver of a subscription in a few words. */
  addressOf(subscription: Subscription): string;
}

export async function withPlace<T>(
  place: Place,
  context: Context & Pick<StoresOptions, 'make'>,
  work: (stores: PlacedStores) => Promise<T>,
): Promise<T> {
  if (place.api === undefined) {
    return withStores(place, context, (stores) => work({ ...stores, addressOf: ({ to }) => describeAddress(to) }));
  }
  const client = new TidingsClient({ url: readAddress(place.api), key: readKey(place, context) });
  try {
    return await work(apiStores(client));
  } catch (error) {
    throw error instanceof TidingsApiError ? toCommandError(error) : error;
  }
}

function readAddress(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '') return text;
  throw new UsageError(
    'TIDINGS_API_URL',
    `--api: expected an address such as https://tidings.example.com, got '${text}'`,
  );
}

function readKey({ key }: Place, { environment: { TIDINGS_API_KEY } }: Pick<Context, 'environment'>): string {
  const found = key ?? TIDINGS_API_KEY;
  // It would make an invalid header, whose error shows it.
  if (found !== undefined && /^[\x21-\x7e]+$/.test(found)) return found;
  const expected = 'expected a key of the API in TIDINGS_API_KEY, or as --key';
  throw new UsageError(
    'TIDINGS_API_KEY',
    `${expected}; the operator makes one with: tidings keys add NAME --scope read`,
  );
}

/** A request that is refused is a mistake in the command; no response, or a failed server, is not. */
function toCommandError({ status, code, message }: TidingsApiError): Error {
  if (status === 0) return new Error(`the API does not respond: ${message}`);
  if (status >= 500 || status === 429) return new Error(message);
  return new UsageError(code as ErrorCode, message);
}

/** For what the API does not offer. */
export function rejectWithApi({ api }: Place, what: string): void {
  if (api === undefined) return;
  throw new UsageError('TIDINGS_API_UNSUPPORTED', `${what}: not available with --api; run it where the data is`);
}
