/**
 * Sends mails over SMTP with pooled connections, those of each key over connections of its own. Maps the server's replies to
 * RetryLater and GiveUp.
 */

import { lookup } from 'node:dns/promises';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import { hideSecrets } from '../../../core/delivery/signing/hide-secrets.ts';
import { GiveUp, RetryLater } from '../../../core/model/errors.ts';
import { type Duration, MINUTE, toMillis } from '../../../core/model/time.ts';
import type { Receipt } from '../../../core/ports/channel.ts';
import type { Secrets } from '../../../core/ports/secrets.ts';
import type { OutgoingMail } from './compose-mail.ts';
import { MAIL_DEFERRED, MAIL_REFUSED, type MailTransport, oneLine } from './transport.ts';

export interface SmtpOptions {
  /** The secret reference of `smtp://user:password@host:587` or `smtps://…:465`. */
  readonly url: string;
  readonly secrets: Secrets;
  /** Milliseconds for one mail, from connecting to the last reply. @default 15000 */
  readonly timeout?: number;
}

const TIMEOUT_MS = 15_000;

/** After a 4xx reply, which has no Retry-After: the server is busy or greylists the sender. */
const DEFERRED_DELAY: Duration = MINUTE;

/** Long enough to send a digest to all readers over one connection, and shorter than the idle timeout of most servers. */
const IDLE_MS = 5000;

/** Characters of a reply that are kept. */
const MAX_KEPT_LENGTH = 500;

export interface SmtpTransport extends MailTransport {
  /** Connects and logs in without sending. Throws RetryLater or GiveUp, like `send`. */
  verify(): Promise<VerifiedServer>;
}

interface VerifiedServer {
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
  /** Values that must not appear in messages or stored replies. */
  readonly secrets: readonly string[];
  readonly transporter: Transporter;
}

/** Connections for the subscriptions of the operator, and for those of each key. */
const MAX_CONNECTIONS = 5;
const MAX_CONNECTIONS_OF_KEY = 2;

export function smtpTransport({ url, secrets, timeout = TIMEOUT_MS }: SmtpOptions): SmtpTransport {
  /**
   * By owner. Many servers delay the reply to a wrong address by seconds: a key that sends to thousands of these would have all
   * connections otherwise, and mails of others that wait too long count as failed.
   */
  const servers = new Map<string | undefined, Server>();

  /** Resolves the reference each time, because the password may change. */
  const connect = async (owner?: string): Promise<Server> => {
    const resolved = await secrets.resolve(url);
    const known = servers.get(owner);
    if (known?.url === resolved) return known;
    known?.transporter.close();
    const server = openServer(resolved, timeout, owner === undefined ? MAX_CONNECTIONS : MAX_CONNECTIONS_OF_KEY);
    servers.set(owner, server);
    return server;
  };

  /** Mails in flight continue; the next mail opens a new connection. */
  const abandon = (stuck: Server, owner: string | undefined): void => {
    stuck.transporter.close();
    // Socket timeouts do not stop a server that sends one byte at a time, so connections are closed by force.
    setTimeout(() => stuck.transporter.close({ force: true }), timeout).unref();
    if (servers.get(owner) === stuck) servers.delete(owner);
  };

  const toAbortError = ({ host }: Server, failure: string, signal?: AbortSignal): RetryLater => {
    const reason = signal?.aborted === true ? 'the request was aborted' : `no answer within ${timeout / 1000} s`;
    return new RetryLater(UNREACHABLE, `${host} ${failure}: ${reason}`);
  };

  return {
    async send(mail, signal, owner) {
      const current = await connect(owner);
      if (signal?.aborted === true) throw toAbortError(current, NOT_ACCEPTED, signal);
      const deadline = AbortSignal.any([AbortSignal.timeout(timeout), ...(signal === undefined ? [] : [signal])]);
      try {
        return await within(deadline, sendMail(current, mail));
      } catch (error) {
        if (!deadline.aborted) throw toMailError(current, mail.to.address, error);
        abandon(current, owner);
        throw toAbortError(current, NOT_ACCEPTED, signal);
      }
    },
    async verify() {
      const current = await connect();
      const deadline = AbortSignal.timeout(timeout);
      try {
        const records = await within(deadline, lookup(current.name, { all: true }));
        await within(deadline, current.transporter.verify());
        const { protocol, host } = new URL(current.url);
        return { url: `${protocol}//${host}`, host, addresses: records.map(({ address }) => address) };
      } catch (error) {
        throw deadline.aborted ? toAbortError(current, NO_LOGIN) : toServerError(current, NO_LOGIN, error);
      }
    },
    close: async () => {
      for (const { transporter } of servers.values()) transporter.close();
      servers.clear();
    },
  };
}

const UNREACHABLE = 'TIDINGS_MAIL_UNREACHABLE';
const NOT_ACCEPTED = 'did not accept the mail';
const NO_LOGIN = 'did not accept the login';

function openServer(text: string, timeout: number, maxConnections: number): Server {
  const url = URL.parse(text);
  const [user, password] = [decodePart(url?.username), decodePart(url?.password)];
  const isServer = ['smtp:', 'smtps:'].includes(url?.protocol ?? '') && url?.hostname !== '';
  if (url === null || !isServer || user === undefined || password === undefined) {
    throw new GiveUp(
      'TIDINGS_MAIL_SERVER_INVALID',
      'mail.smtp: expected smtp://user:password@host:587 or smtps://user:password@host:465, got another text',
    );
  }
  // A password is sent to a remote server only over TLS, unless `?requireTLS=false` allows it.
  const requireTLS = url.password !== '' && !isLocal(url.hostname) && !url.searchParams.has('requireTLS');
  return {
    url: text,
    host: url.host,
    name: url.hostname.replace(/^\[|\]$/g, ''),
    // The last two forms are sent during login.
    secrets: password === '' ? [] : [url.password, password, base64(password), base64(`\0${user}\0${password}`)],
    transporter: createTransport({
      url: text,
      pool: true,
      maxConnections,
      // A mail on a broken connection may have arrived, so it is not sent again here: core/delivery decides about retries.
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

/** Undefined if a percent encoding is invalid. */
function decodePart(text = ''): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const isLocal = (host: string) => ['localhost', '127.0.0.1', '[::1]'].includes(host);

async function sendMail({ transporter, secrets }: Server, mail: OutgoingMail): Promise<Receipt> {
  const { response = '' } = await transporter.sendMail(toNodemailer(mail));
  return {
    status: statusOf(response),
    body: hideSecrets(response, secrets).slice(0, MAX_KEPT_LENGTH),
    requestId: mail.messageId,
  };
}

function toNodemailer({ from, to, subject, text, html, messageId, date, headers }: OutgoingMail) {
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

/** For a reply to this mail: 4xx is retried, 5xx is permanent. Other errors concern the server. */
function toMailError(server: Server, reader: string, error: unknown): Error {
  const { code = '', permanent, detail, evidence } = readError(server, error);
  if (permanent === undefined || evidence.status === undefined || !['EENVELOPE', 'EMESSAGE'].includes(code))
    return toServerError(server, NOT_ACCEPTED, error);
  return permanent
    ? new GiveUp(MAIL_REFUSED, `${server.host} refused the mail to ${reader}: ${detail}`, { evidence })
    : new RetryLater(MAIL_DEFERRED, `${server.host} deferred the mail to ${reader}: ${detail}`, {
        evidence,
        after: DEFERRED_DELAY,
      });
}

/** A refused login needs a person. Other errors are transient. */
function toServerError(server: Server, failure: string, error: unknown): Error {
  const { host } = server;
  const { code, permanent, detail, evidence } = readError(server, error);
  if (code === 'EAUTH' || code === 'ENOAUTH') {
    // An overloaded server may reply 4xx to a correct password.
    if (permanent === false)
      return new RetryLater(UNREACHABLE, `${host}: login temporarily refused: ${detail}`, {
        evidence,
        after: DEFERRED_DELAY,
      });
    return new GiveUp(
      'TIDINGS_MAIL_LOGIN_REFUSED',
      `${host} does not accept the user and password of mail.smtp: ${detail}`,
      { evidence },
    );
  }
  if (code === 'ETLS' && permanent === true) {
    return new GiveUp(
      'TIDINGS_MAIL_NOT_ENCRYPTED',
      `${host} does not offer encryption, which the password of mail.smtp requires; append '?requireTLS=false' to send it unencrypted`,
      { evidence },
    );
  }
  const after = permanent === false ? DEFERRED_DELAY : undefined;
  return new RetryLater(UNREACHABLE, `${host} ${failure}: ${detail}`, { evidence, after });
}

/** The error and the server's reply, without secrets. */
function readError({ secrets }: Server, error: unknown) {
  const {
    code,
    responseCode: status,
    response,
    permanent,
    message,
  }: NodemailerError = error instanceof Error ? error : new Error(String(error));
  const detail = hideSecrets(response ?? message, secrets).slice(0, MAX_KEPT_LENGTH);
  return { code, permanent, detail, evidence: status === undefined ? {} : { status, body: detail } };
}
