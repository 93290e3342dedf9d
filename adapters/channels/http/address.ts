/** Resolves and validates the URL of a receiver. The IP address is checked when the socket connects, see guard.ts. */

import { GiveUp } from '../../../core/model/errors.ts';
import { referencesIn, replaceReferences } from '../../../core/model/reference.ts';

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

export interface ResolvedAddress {
  readonly url: URL;
  /** The values of its variables, which must not appear in logs or stored responses. */
  readonly secrets: readonly string[];
}

/** Replaces the variables of a URL when a request is made: they may be secrets, so the stored URL keeps the references. */
export async function resolveAddress(
  text: string,
  resolve: (reference: string) => Promise<string>,
): Promise<ResolvedAddress> {
  const references = [...new Set(referencesIn(text).map((name) => `\${${name}}`))];
  if (references.length === 0) return { url: parseAddress(text), secrets: [] };
  const values = new Map(
    await Promise.all(references.map(async (reference) => [reference, await resolve(reference)] as const)),
  );
  const url = parseAddress(replaceReferences(text, (reference) => values.get(reference) ?? reference));
  return { url, secrets: [...values.values()].flatMap(secretParts) };
}

/** A variable may hold a whole URL: then the parts after its host are secret too. */
function secretParts(value: string): readonly string[] {
  const url = /^https?:/i.test(value) ? URL.parse(value) : null;
  if (url === null) return [value];
  const { href, pathname, search, searchParams } = url;
  return [value, href, `${pathname}${search}`, pathname, ...pathname.split('/'), ...searchParams.values()];
}

/** The origin without the values of variables; the reference if the host depends on one. */
export function describeUrl(text: string): string {
  const { origin, host = '' } = URL.parse(text) ?? {};
  return origin === undefined || origin === 'null' || /[${}]|%7b/i.test(host)
    ? text.replace(/(\w\/).*$/s, '$1…')
    : origin;
}
