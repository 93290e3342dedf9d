/** Checks the mail server for `tidings check`: its DNS name, addresses and login. Sends nothing. */

import { errorMessage } from '../../../core/model/errors.ts';
import type { ProbeContext, ProbeResult } from '../definition.ts';
import { type SmtpTransport, smtpTransport } from './smtp.ts';

export async function probeMailServer({ config: { mail, manage }, secrets }: ProbeContext): Promise<ProbeResult> {
  let transport: SmtpTransport | undefined;
  try {
    if (manage !== undefined) await secrets.resolve(manage.secret);
    transport = smtpTransport({ url: mail?.smtp ?? '', secrets });
    const { url, host, addresses } = await transport.verify();
    return { url, ok: true, finding: `${host} resolves to ${addresses.join(', ')}, login ok` };
  } catch (error) {
    return { url: '', ok: false, finding: errorMessage(error) };
  } finally {
    await transport?.close();
  }
}
