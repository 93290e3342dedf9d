/** Where a command finds its data: a data directory, a stack in AWS, or the management API of a server elsewhere. */

import type { ErrorCode } from '../../core/model/error-codes.ts';
import { UsageError } from '../../core/model/errors.ts';
import { TidingsApiError, TidingsClient } from '../../kit/client.ts';
import type { Context, Location } from '../context.ts';
import type { Backend } from './backend.ts';

/** The data are opened when they are first used, and closed after the work. */
export async function withBackend<T>(
  location: Location,
  context: Context,
  work: (backend: Backend) => Promise<T>,
): Promise<T> {
  if (location.api === undefined) {
    const { localBackend } = await import('./local-backend.ts');
    const backend = localBackend(location, context);
    try {
      return await work(backend);
    } finally {
      await backend.close();
    }
  }
  const client = new TidingsClient({ url: readAddress(location.api), key: readKey(location, context) });
  const { apiBackend } = await import('./api-backend.ts');
  try {
    return await work(apiBackend(client, location, context));
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

function readKey(location: Location, { environment: { TIDINGS_API_KEY } }: Pick<Context, 'environment'>): string {
  const key = location.key ?? TIDINGS_API_KEY;
  // It would make an invalid header, whose error shows it.
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key)) return key;
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
