/**
 * Checks where a webhook goes and what travels with it, at the start rather than at the first delivery. Secrets of the
 * environment are looked at and never shown; files are read at the moment of use only.
 */

import { isIP } from 'node:net';
import { addressProblem } from '../../adapters/channels/http/address.ts';
import { headerNameProblem, headerValueProblem } from '../../adapters/channels/http/headers.ts';
import { compileGuard, isRange } from '../../adapters/http/guard.ts';
import { signingKey } from '../../core/delivery/sign.ts';
import { type ConfigProblem, errorMessage } from '../../core/model/errors.ts';
import type { Environment, Home } from './config.ts';
import { knownSecret } from './known-secret.ts';
import { type Path, pathText } from './problems.ts';
import type { ParsedConfig } from './schema.ts';

type Http = NonNullable<ParsedConfig['subscriptions'][number]['to']['http']>;

export function checkHttp(
  http: Http | undefined,
  environment: Environment,
  path: Path,
  home: Home = 'embedded',
  allow: readonly string[] = [],
): ConfigProblem[] {
  if (http === undefined) return [];
  return [
    ...checkAddress(http.url, [...path, 'url']),
    // Elsewhere `tidings check` connects, and says it.
    ...(home === 'aws' ? checkReach(http.url, allow, [...path, 'url']) : []),
    // In AWS it is a reference, and what it refers to is not known here.
    ...(home === 'aws' ? [] : checkSigningSecret(http.secret, environment, [...path, 'secret'])),
    ...checkHeaders(http, environment, [...path, 'headers']),
    ...checkUser(http, [...path, 'auth', 'basic', 'user']),
  ];
}

const problem = (path: Path, message: string): ConfigProblem => ({ path: pathText(path), message });

function checkAddress(text: string, path: Path): ConfigProblem[] {
  const url = URL.parse(text);
  const wrong = url === null || !url.protocol.startsWith('http') ? undefined : addressProblem(url);
  return wrong === undefined ? [] : [problem(path, wrong)];
}

/** An address that every delivery would refuse. Where names lead is known only when they are asked for. */
function checkReach(text: string, allow: readonly string[], path: Path): ConfigProblem[] {
  const host = URL.parse(text)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 0 || compileGuard(allow.filter(isRange))(address)) return [];
  return [problem(path, `expected a public address (network.allow opens private ranges), got ${host}`)];
}

function checkSigningSecret(reference: string, environment: Environment, path: Path): ConfigProblem[] {
  const secret = knownSecret(reference, environment);
  if (secret === undefined) return [];
  try {
    signingKey(secret);
    return [];
  } catch (error) {
    return [problem(path, `expected a signing secret: ${errorMessage(error)}`)];
  }
}

function checkHeaders({ headers = {}, auth }: Http, environment: Environment, path: Path): ConfigProblem[] {
  const seen = new Set(auth === undefined ? [] : ['authorization']);
  return Object.entries(headers).flatMap(([name, reference]) => {
    const value = knownSecret(reference, environment);
    const twice = seen.has(name.toLowerCase()) ? 'expected each header once, got this one twice' : undefined;
    seen.add(name.toLowerCase());
    const wrong = headerNameProblem(name) ?? (value === undefined ? undefined : headerValueProblem(value)) ?? twice;
    return wrong === undefined ? [] : [problem([...path, name], wrong)];
  });
}

function checkUser({ auth }: Http, path: Path): ConfigProblem[] {
  return auth?.basic?.user.includes(':') === true
    ? [problem(path, 'expected a user name without a colon, which ends it')]
    : [];
}
