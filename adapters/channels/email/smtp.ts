/** Carries mails over SMTP, on connections that are kept for a moment. Its answers become RetryLater and GiveUp here. */

import { lookup } from 'node:dns/promises';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import { hideSecrets } from '../../../core/delivery/hide-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { toMillis } from '../../../core/model/time.ts';
import type { Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { OutgoingMail } from './compose-mail.ts';
import { DEFERRED, type MailTransport, oneLine, REFUSED } from './transport.ts';

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

export interface SmtpTransport extends MailTransport {
  /** Connects and logs in, and sends nothing. Throws RetryLater or GiveUp, as `send` does. */
  verify(): Promise<VerifiedServer>;
}

export interface VerifiedServer {
  /** `smtp://mail.example.com:587`: without user and password. */
  readonly url: string;
  /** `mail.example.com:587` */
  readonly host: string;
  readonly addresses: readonly string[];
}

interface Server {
  readonly url: string;
  readonly host: string;
  /** Without the port. */
  readonly name: string;
  /** What must never be seen. */
  readonly secrets: readonly string[];
  readonly transporter: Transporter;
}

export function smtpTransport({ url, secrets, timeout = TIMEOUT_MS }: SmtpOptions): SmtpTransport {
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
    // By then all of them have ended, but for a server that answers a byte at a time: no timeout of a socket ends that.
    setTimeout(() => stuck.transporter.close({ force: true }), timeout).unref();
    if (server === stuck) server = undefined;
  };

  const stopped = ({ host }: Server, trouble: string, signal?: AbortSignal): RetryLater => {
    const reason = signal?.aborted === true ? 'we were asked to stop' : `no answer within ${timeout / 1000} s`;
    return new RetryLater(UNREACHABLE, `${host} ${trouble}: ${reason}`);
  };

  return {
    async send(mail, signal) {
      const current = await connect();
      if (signal?.aborted === true) throw stopped(current, NOT_TAKEN, signal);
      const deadline = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]);
      try {
        return await within(deadline, handOver(current, mail));
      } catch (error) {
        if (!deadline.aborted) throw judgeMail(current, mail.to.address, error);
        leave(current);
        throw stopped(current, NOT_TAKEN, signal);
      }
    },
    async verify() {
      const current = await connect();
      const deadline = AbortSignal.timeout(timeout);
      try {
        const found = await within(deadline, lookup(current.name, { all: true }));
        await within(deadline, current.transporter.verify());
        const { protocol, host } = new URL(current.url);
        return { url: `${protocol}//${host}`, host, addresses: found.map(({ address }) => address) };
      } catch (error) {
        throw deadline.aborted ? stopped(current, NO_USE) : judgeServer(current, NO_USE, error);
      }
    },
    close: async () => {
      server?.transporter.close();
      server = undefined;
    },
  };
}

const UNREACHABLE = 'TIDINGS_MAIL_UNREACHABLE';
const NOT_TAKEN = 'did not take the mail';
const NO_USE = 'does not let us in';

function openServer(text: string, timeout: number): Server {
  const url = URL.parse(text);
  const [user, password] = [decoded(url?.username), decoded(url?.password)];
  const isServer = ['smtp:', 'smtps:'].includes(url?.protocol ?? '') && url?.hostname !== '';
  if (url === null || !isServer || user === undefined || password === undefined) {
    throw new GiveUp(
      'TIDINGS_MAIL_SERVER_INVALID',
      'mail.smtp: expected smtp://user:password@host:587 or smtps://user:password@host:465, got something else',
    );
  }
  // TLS keeps the password from the network between us and a remote server. `?requireTLS=false` turns it off.
  const requireTLS = url.password !== '' && !isHere(url.hostname) && !url.searchParams.has('requireTLS');
  return {
    url: text,
    host: url.host,
    name: url.hostname.replace(/^\[|\]$/g, ''),
    // The last two are how a login sends it.
    secrets: password === '' ? [] : [url.password, password, base64(password), base64(`\0${user}\0${password}`)],
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

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Undefined where a % stands for nothing. */
function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const isHere = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host);

async function handOver({ transporter, secrets }: Server, mail: OutgoingMail): Promise<Receipt> {
  const { response = '' } = await transporter.sendMail(encodable(mail));
  return { status: statusOf(response), body: hideSecrets(response, secrets).slice(0, KEPT), requestId: mail.messageId };
}

/** As nodemailer takes it. */
function encodable({ from, to, subject, text, html, messageId, date, headers }: OutgoingMail) {
  return {
    from: { ...from },
    to: { ...to },
    envelope: { from: from.address, to: [to.address] },
    subject,
    text,
    html,
    messageId,
    date: new Date(toMillis(date)),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, oneLine(value)])),
    xMailer: false as const,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
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

/** Of one mail: 4xx is later, 5xx is never. All else is the server's. */
function judgeMail(server: Server, reader: string, error: unknown): Error {
  const { code = '', permanent, words, evidence } = read(server, error);
  if (permanent === undefined || evidence.status === undefined || !['EENVELOPE', 'EMESSAGE'].includes(code))
    return judgeServer(server, NOT_TAKEN, error);
  return permanent
    ? new GiveUp(REFUSED, `${server.host} refused the mail to ${reader}: ${words}`, { evidence })
    : new RetryLater(DEFERRED, `${server.host} put off the mail to ${reader}: ${words}`, { evidence });
}

/** A refused login: a person has to look. All else is the network. */
function judgeServer(server: Server, trouble: string, error: unknown): Error {
  const { host } = server;
  const { code, permanent, words, evidence } = read(server, error);
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    // A server under strain says 4xx to a right password, too.
    if (permanent === false) return new RetryLater(UNREACHABLE, `${host}: no login now: ${words}`, { evidence });
    return new GiveUp(
      'TIDINGS_MAIL_LOGIN_REFUSED',
      `${host} does not accept the user and password of mail.smtp: ${words}`,
      { evidence },
    );
  }
  if (code === 'ETLS' && permanent === true) {
    return new GiveUp(
      'TIDINGS_MAIL_NOT_ENCRYPTED',
      `${host} offers no encryption, and without it the password of mail.smtp is not sent; '?requireTLS=false' at its end allows it`,
      { evidence },
    );
  }
  return new RetryLater(UNREACHABLE, `${host} ${trouble}: ${words}`, { evidence });
}

/** What the error says, and the server in it, without secrets. */
function read({ secrets }: Server, error: unknown) {
  const {
    code,
    responseCode: status,
    response,
    permanent,
    message,
  }: NodemailerError = error instanceof Error ? error : new Error(String(error));
  const words = hideSecrets(response ?? message, secrets).slice(0, KEPT);
  return { code, permanent, words, evidence: status === undefined ? {} : { status, body: words } };
}
