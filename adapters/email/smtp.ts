/** Carries mails over SMTP, on connections that are kept for a moment. Its answers become RetryLater and GiveUp here. */

import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import type { OutgoingMail } from '../../core/events/mail-compose.ts';
import { GiveUp, RetryLater } from '../../core/model/errors.ts';
import type { Receipt } from '../../core/ports/channel.ts';
import type { Secrets } from '../../core/ports/secrets.ts';
import { encodable } from './encodable.ts';
import { DEFERRED, type MailTransport, REFUSED } from './transport.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, `smtps://…:465`: a reference for `Secrets`. */
  readonly url: string;
  readonly secrets: Secrets;
  /** Milliseconds for one mail, from connecting to the last answer. @default 15000 */
  readonly timeout?: number;
}

const TIMEOUT_MS = 15_000;

/** A digest for thirty readers goes over one connection; a server that closes idle ones rarely does so this soon. */
const IDLE_MS = 5000;

/** What is kept of an answer. */
const KEPT = 500;

interface Server {
  readonly url: string;
  readonly host: string;
  /** What must never be seen. */
  readonly secrets: readonly string[];
  readonly transporter: Transporter;
}

export function smtpTransport({ url, secrets, timeout = TIMEOUT_MS }: SmtpOptions): MailTransport {
  let server: Server | undefined;

  /** The reference is resolved each time: a password may be changed under us. */
  const connect = async (): Promise<Server> => {
    const resolved = await secrets.resolve(url);
    if (server?.url === resolved) return server;
    server?.transporter.close();
    server = openServer(resolved, timeout);
    return server;
  };

  /** Mails in hand go on; the next one starts afresh. */
  const leave = (stuck: Server): void => {
    stuck.transporter.close();
    if (server === stuck) server = undefined;
  };

  return {
    async send(mail, signal) {
      const current = await connect();
      const deadline = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]);
      try {
        return await within(deadline, handOver(current.transporter, mail));
      } catch (error) {
        if (!deadline.aborted) throw judge(current, mail.to.address, error);
        leave(current);
        const reason = signal?.aborted === true ? 'we were asked to stop' : `no answer within ${timeout / 1000} s`;
        throw new RetryLater('TIDINGS_MAIL_UNREACHABLE', `${current.host} did not take the mail: ${reason}`);
      }
    },
    close: async () => {
      server?.transporter.close();
      server = undefined;
    },
  };
}

function openServer(text: string, timeout: number): Server {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new GiveUp(
      'TIDINGS_MAIL_SERVER_INVALID',
      'mail.smtp: expected smtp://user:password@host:587 or smtps://user:password@host:465, got something else',
    );
  }
  // Nobody between us and a server elsewhere may read the password. `?requireTLS=false` says otherwise.
  const requireTLS = url.password !== '' && !isHere(url.hostname) && !url.searchParams.has('requireTLS');
  return {
    url: text,
    host: url.host,
    secrets: [url.password, decodeURIComponent(url.password)].filter((secret) => secret !== ''),
    transporter: createTransport({
      url: text,
      pool: true,
      // A mail on a connection that broke may have arrived: trying again is decided where attempts are recorded.
      maxRequeues: 0,
      idleTimeout: IDLE_MS,
      connectionTimeout: timeout,
      greetingTimeout: timeout,
      socketTimeout: timeout,
      dnsTimeout: timeout,
      ...(requireTLS ? { requireTLS } : {}),
    }),
  };
}

const isHere = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host);

async function handOver(transporter: Transporter, mail: OutgoingMail): Promise<Receipt> {
  const { response = '' } = await transporter.sendMail(encodable(mail));
  return { status: statusOf(response), body: response.slice(0, KEPT), requestId: mail.messageId };
}

const statusOf = (response: string) => Number(/^\d{3}/.exec(response)?.[0] ?? 250);

function within<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('stopped'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** 4xx: later; 5xx: never; a refused login: a person has to look; all else is the network. */
function judge({ host, secrets }: Server, reader: string, error: unknown): Error {
  if (!(error instanceof Error)) return new RetryLater('TIDINGS_MAIL_UNREACHABLE', `${host} did not take the mail`);
  const { code, responseCode: status, response, permanent, message }: NodemailerError = error;
  const words = hide(secrets, response ?? message).slice(0, KEPT);
  const evidence = status === undefined ? {} : { evidence: { status, body: words } };
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    // A server under strain says 4xx to a right password, too.
    if (permanent === false)
      return new RetryLater('TIDINGS_MAIL_UNREACHABLE', `${host}: no login now: ${words}`, evidence);
    return new GiveUp(
      'TIDINGS_MAIL_LOGIN_REFUSED',
      `${host} does not accept the user and password of mail.smtp: ${words}`,
      evidence,
    );
  }
  if (status !== undefined && permanent !== undefined && ['EENVELOPE', 'EMESSAGE'].includes(code ?? '')) {
    return permanent
      ? new GiveUp(REFUSED, `${host} refused the mail to ${reader}: ${words}`, evidence)
      : new RetryLater(DEFERRED, `${host} put off the mail to ${reader}: ${words}`, evidence);
  }
  if (code === 'ETLS' && permanent === true) {
    return new GiveUp(
      'TIDINGS_MAIL_NOT_ENCRYPTED',
      `${host} offers no encryption, and without it the password of mail.smtp is not sent; '?requireTLS=false' at its end allows it`,
      evidence,
    );
  }
  return new RetryLater('TIDINGS_MAIL_UNREACHABLE', `${host} did not take the mail: ${words}`, evidence);
}

function hide(secrets: readonly string[], text: string): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, '***'), text);
}
