/** Validates the URL of a receiver. The IP address is checked when the socket connects, see guard.ts. */

import { GiveUp } from '../../../core/model/errors.ts';

/** The problem with a URL; undefined if it is valid. Never contains the URL, which may contain a password. */
export function addressProblem(url: URL | null): string | undefined {
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return 'expected an https URL';
  return url.username === '' && url.password === ''
    ? undefined
    : 'expected no user name or password in the URL: use auth.basic';
}

export function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const problem = addressProblem(url);
  if (url === null || problem !== undefined) throw new GiveUp('TIDINGS_HTTP_URL_REFUSED', `url: ${problem}`);
  return url;
}
