/** Resolves and validates the headers that a subscription adds. Also returns the secret values. */

import { GiveUp } from '../../../core/model/errors.ts';
import type { HttpSettings } from './settings.ts';

/** Headers of the connection, and headers that Tidings sets: another value could break or forge a request. */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const RESERVED_PREFIXES = ['webhook-', 'tidings-', 'proxy-'] as const;

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/;

/** Visible Latin-1 characters, spaces and tabs: a line break would start another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** `host` → `[Hh][Oo][Ss][Tt]`: patterns of JSON Schema have no flag for any letter case. */
const anyCase = (text: string) => text.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);

/** The names that `headerNameProblem` accepts, as a pattern of JSON Schema. */
export const HEADER_NAME_PATTERN = `^(?!(?:${[...RESERVED].map(anyCase).join('|')})$)(?!${RESERVED_PREFIXES.map(anyCase).join('|')})${NAME.source.slice(1)}`;

/** The problem with the name of a header; undefined if it may be sent. */
export function headerNameProblem(name: string): string | undefined {
  if (!NAME.test(name)) return 'expected a header’s name of letters, digits and -';
  const lower = name.toLowerCase();
  const isReserved = RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
  return isReserved ? `expected a header of your own: ${lower} is set by Tidings` : undefined;
}

/** The problem with a value. Never contains the value. */
export function headerValueProblem(value: string): string | undefined {
  return VALUE.test(value) ? undefined : 'expected a value on one line, of characters that HTTP headers can carry';
}

export interface OwnHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Values that must not appear in logs or stored responses. */
  readonly secrets: readonly string[];
}

type Resolve = (reference: string) => Promise<string>;

export const NO_HEADERS: OwnHeaders = { headers: {}, secrets: [] };

export function hasOwnHeaders({ headers, auth }: HttpSettings): boolean {
  return headers !== undefined || auth !== undefined;
}

/** Throws GiveUp if a header cannot be sent or its secret does not exist. */
export async function ownHeaders({ headers = {}, auth }: HttpSettings, resolve: Resolve): Promise<OwnHeaders> {
  const written = Object.entries(headers).map(async ([name, reference]) => [name, await resolve(reference)] as const);
  const login = auth === undefined ? undefined : await resolveLogin(auth, resolve);
  const all = new Map<string, string>();
  for (const [name, value] of [...(await Promise.all(written)), ...(login?.headers ?? [])]) {
    const lower = name.toLowerCase();
    const problem = headerNameProblem(name) ?? headerValueProblem(value);
    if (problem !== undefined) throw refuse(name, problem);
    if (all.has(lower)) throw refuse(name, 'expected it once, got it twice');
    all.set(lower, value);
  }
  // Each word is a secret too: a receiver may echo a token without its scheme.
  const words = [...all.values()].flatMap((value) => [value, ...value.split(/[\s,;]+/)]);
  return { headers: Object.fromEntries(all), secrets: [...words, ...(login?.secrets ?? [])] };
}

async function resolveLogin(auth: NonNullable<HttpSettings['auth']>, resolve: Resolve) {
  const withValue = (value: string) => [['authorization', value] as const];
  if ('bearer' in auth) return { headers: withValue(`Bearer ${await resolve(auth.bearer)}`), secrets: [] };
  // The name is no secret: in AWS a text that is no reference cannot be resolved.
  const { user } = auth.basic;
  const password = await resolve(auth.basic.password);
  if (user.includes(':'))
    throw refuse('authorization', 'expected a user name without a colon, which separates it from the password');
  const value = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return { headers: withValue(value), secrets: [password] };
}

function refuse(name: string, problem: string): GiveUp {
  return new GiveUp('TIDINGS_HTTP_HEADER_REFUSED', `header '${name.slice(0, 64)}': ${problem}`);
}
