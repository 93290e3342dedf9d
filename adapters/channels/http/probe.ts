/** Checks an HTTP endpoint for `tidings check`: its secrets, DNS name, addresses and certificate. Sends nothing. */

import { signingKey } from '../../../core/delivery/signing/sign.ts';
import { errorMessage } from '../../../core/model/errors.ts';
import { probeEndpoint } from '../../http/probe-endpoint.ts';
import type { ProbeContext, ProbeResult } from '../definition.ts';
import { describeUrl, resolveAddress } from './address.ts';
import { ownHeaders } from './headers.ts';
import type { HttpSettings } from './settings.ts';

export async function probeHttp(settings: HttpSettings, context: ProbeContext): Promise<ProbeResult> {
  const resolve = (reference: string) => context.secrets.resolve(reference);
  const result = await probeUrl(async () => {
    const { url } = await resolveAddress(settings.url, resolve);
    signingKey(await resolve(settings.secret));
    await ownHeaders(settings, resolve);
    return url;
  }, context);
  return { ...result, url: describeUrl(settings.url) };
}

/** @param findUrl throws when a secret that the request needs is missing */
export async function probeUrl(findUrl: () => Promise<URL>, { config }: ProbeContext): Promise<ProbeResult> {
  try {
    const { origin } = await findUrl();
    return { url: origin, ...(await probeEndpoint(origin, config.network.allow)) };
  } catch (error) {
    return { url: '', ok: false, finding: errorMessage(error) };
  }
}
