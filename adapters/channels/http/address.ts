/** What the address of a receiver may look like. Where it leads is vetted when the socket connects, see guard.ts. */

import { GiveUp } from '../../../core/model/errors.ts';

/** What is wrong with it; undefined when nothing is. Never shows it, for what is wrong may be a password. */
export function addressProblem(url: URL | null): string | undefined {
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return 'expected an https URL';
  return url.username === '' && url.password === ''
    ? undefined
    : 'expected no user name or password in the URL: auth.basic is the place for them';
}

export function parseAddress(text: string): URL {
  const url = URL.parse(text);
  const problem = addressProblem(url);
  if (url === null || problem !== undefined) throw new GiveUp('TIDINGS_HTTP_URL_REFUSED', `url: ${problem}`);
  return url;
}
