/**
 * Checks the settings of an HTTP endpoint when a config is loaded. Checks secrets in environment variables without showing
 * them; secrets in files and stores are read only when they are used.
 */

import { isIP } from 'node:net';
import { signingKey } from '../../../core/delivery/signing/sign.ts';
import { errorMessage } from '../../../core/model/errors.ts';
import { compileGuard, isCidrRange } from '../../http/guard.ts';
import type { CheckContext, SettingsProblem } from '../definition.ts';
import { addressProblem } from './address.ts';
import { headerNameProblem, headerValueProblem } from './headers.ts';
import type { HttpSettings } from './settings.ts';

export function checkHttp(http: HttpSettings, context: CheckContext): readonly SettingsProblem[] {
  const { mode, network } = context;
  return [
    ...checkProtocol(['url'], http.url, network.allowHttp),
    ...checkAddress(http.url),
    // In embedded mode, `tidings check` connects and reports it.
    ...(mode === 'aws' ? checkReach(http.url, network.allow) : []),
    // In AWS it refers to a secret that cannot be read here.
    ...(mode === 'aws' ? [] : checkSigningSecret(http.secret, context)),
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
export function checkProtocol(path: SettingsProblem['path'], text: string, allowHttp: boolean): SettingsProblem[] {
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
function checkReach(text: string, allow: readonly string[]): SettingsProblem[] {
  const host = URL.parse(text)?.hostname.replaceAll(/[[\]]/g, '') ?? '';
  const address = host === 'localhost' ? '127.0.0.1' : host;
  if (isIP(address) === 0 || compileGuard(allow.filter(isCidrRange))(address)) return [];
  return [problem(['url'], `expected a public address (network.allow opens private ranges), got ${host}`)];
}

function checkSigningSecret(reference: string, { knownSecret }: CheckContext): SettingsProblem[] {
  const secret = knownSecret(reference);
  if (secret === undefined) return [];
  try {
    signingKey(secret);
    return [];
  } catch (error) {
    return [problem(['secret'], `expected a signing secret: ${errorMessage(error)}`)];
  }
}

function checkHeaders({ headers = {}, auth }: HttpSettings, { knownSecret }: CheckContext): SettingsProblem[] {
  const names = new Set(auth === undefined ? [] : ['authorization']);
  return Object.entries(headers).flatMap(([name, reference]) => {
    const value = knownSecret(reference);
    const repeated = names.has(name.toLowerCase()) ? 'expected each header once, got this one twice' : undefined;
    names.add(name.toLowerCase());
    const wrong = headerNameProblem(name) ?? (value === undefined ? undefined : headerValueProblem(value)) ?? repeated;
    return wrong === undefined ? [] : [problem(['headers', name], wrong)];
  });
}

function checkUser({ auth }: HttpSettings): SettingsProblem[] {
  if (auth === undefined || !('basic' in auth) || !auth.basic?.user.includes(':')) return [];
  return [
    problem(['auth', 'basic', 'user'], 'expected a user name without a colon, which separates it from the password'),
  ];
}

function checkContentType({ format, contentType }: HttpSettings): SettingsProblem[] {
  if (contentType !== 'application/cloudevents+json' || format !== 'standard') return [];
  return [problem(['contentType'], 'expected application/json: a body in the format standard is not a CloudEvent')];
}
