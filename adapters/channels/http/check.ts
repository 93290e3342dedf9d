/**
 * Checks the settings of an HTTP endpoint when a config is loaded. Checks secrets in environment variables without showing
 * them; secrets in files and stores are read only when they are used.
 */

import { isIP } from 'node:net';
import { signingKey } from '../../../core/delivery/signing/sign.ts';
import { errorMessage } from '../../../core/model/errors.ts';
import { compileGuard, isCidrRange } from '../../http/guard.ts';
import type { CheckContext, SettingsProblem, ValidParts } from '../definition.ts';
import { addressProblem } from './address.ts';
import { headerNameProblem, headerValueProblem } from './headers.ts';
import type { HttpSettings } from './settings.ts';

type HttpParts = ValidParts<HttpSettings>;

export function checkHttp(http: HttpParts, context: CheckContext): readonly SettingsProblem[] {
  const { url = '', secret = '' } = http;
  return [
    ...checkProtocol(['url'], url, context),
    ...checkAddress(url),
    ...checkReach(url, context),
    ...checkSigningSecret(secret, context),
    ...checkHeaders(http, context),
    ...checkUser(http),
    ...checkContentType(http),
  ];
}

const problem = (path: SettingsProblem['path'], message: string): SettingsProblem => ({
  path,
  message,
  showsValue: false,
});

/** Requires https, or http if the config allows it. The schema reports invalid URLs. */
export function checkProtocol(
  path: SettingsProblem['path'],
  text: string,
  { network: { allowHttp = true } }: Pick<CheckContext, 'network'>,
): SettingsProblem[] {
  const url = URL.parse(text);
  if (url === null || url.protocol === 'https:' || (allowHttp && url.protocol === 'http:')) return [];
  return [{ path, message: 'expected an https URL (network.allowHttp opens plain http)', showsValue: true }];
}

function checkAddress(text: string): SettingsProblem[] {
  const url = URL.parse(text);
  const wrong = url === null || !url.protocol.startsWith('http') ? undefined : addressProblem(url);
  return wrong === undefined ? [] : [problem(['url'], wrong)];
}

/** Reports an IP address that every delivery would reject. Host names are resolved only when a delivery connects. */
function checkReach(text: string, { network: { allow }, refusesPrivateAddresses }: CheckContext): SettingsProblem[] {
  if (!refusesPrivateAddresses || allow === undefined) return [];
  const host = URL.parse(text)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 0 || compileGuard(allow.filter(isCidrRange))(address)) return [];
  return [problem(['url'], `expected a public address (network.allow opens private ranges), got ${host}`)];
}

function checkSigningSecret(reference: string, { knownSecret }: CheckContext): SettingsProblem[] {
  const secret = knownSecret(reference);
  if (secret === undefined || secret === '') return [];
  try {
    signingKey(secret);
    return [];
  } catch (error) {
    return [problem(['secret'], `expected a signing secret: ${errorMessage(error)}`)];
  }
}

function checkHeaders({ headers = {}, auth }: HttpParts, { knownSecret }: CheckContext): SettingsProblem[] {
  const names = new Set(auth === undefined ? [] : ['authorization']);
  return Object.entries(headers).flatMap(([name, reference]) => {
    const value = knownSecret(reference ?? '');
    const repeated = names.has(name.toLowerCase()) ? 'expected each header once, got this one twice' : undefined;
    names.add(name.toLowerCase());
    const wrong = headerNameProblem(name) ?? (value === undefined ? undefined : headerValueProblem(value)) ?? repeated;
    return wrong === undefined ? [] : [problem(['headers', name], wrong)];
  });
}

function checkUser({ auth }: HttpParts): SettingsProblem[] {
  if (auth === undefined || !('basic' in auth) || !auth.basic?.user?.includes(':')) return [];
  return [
    problem(['auth', 'basic', 'user'], 'expected a user name without a colon, which separates it from the password'),
  ];
}

function checkContentType({ format, contentType }: HttpParts): SettingsProblem[] {
  if (contentType !== 'application/cloudevents+json' || format !== 'standard') return [];
  return [problem(['contentType'], 'expected application/json: a body in the format standard is not a CloudEvent')];
}
