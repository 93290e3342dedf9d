/**
 * A mail server that accepts every mail and forwards none: it parses and stores mails and shows them on a page. It responds
 * with errors where a fault is set. It speaks real SMTP and knows nothing of the sender.
 */

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { listen } from '../http/server.ts';
import { answerPage } from './page.ts';
import type { ReceivedMail } from './received-mail.ts';

/** An SMTP response: 4xx is transient, 5xx is permanent. */
interface SmtpResponse {
  readonly code: number;
  readonly text: string;
}

/** Faults that stay active until they are changed. */
export interface MailboxFaults {
  /** Response to RCPT by address. @default - all are accepted */
  readonly recipients?: Readonly<Record<string, SmtpResponse>>;
  /** Response to DATA. @default - the mail is accepted */
  readonly mail?: SmtpResponse;
  /** Where the connection breaks: at the start, at DATA, or after the mail is stored and before the response. @default - nowhere */
  readonly drop?: 'connect' | 'mail' | 'thanks';
  /** Delay of the response to DATA in milliseconds. @default 0 */
  readonly slow?: number;
}

export interface MailboxOptions {
  /** Port of SMTP. @default 0, any free port */
  readonly port?: number;
  /** Port of the page. @default 0, any free port */
  readonly webPort?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** Credentials of the sender. @default - no login */
  readonly login?: { readonly user: string; readonly password: string };
}

export interface Mailbox {
  /** `smtp://127.0.0.1:2525` */
  readonly smtpUrl: string;
  /** URL of the page. */
  readonly url: string;
  /** In the order of arrival. */
  readonly mails: readonly ReceivedMail[];
  /** Number of connections so far. */
  readonly connections: number;
  setFaults(faults: MailboxFaults): void;
  /** Deletes all mails. */
  clear(): void;
  close(): Promise<void>;
}

export async function startMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const { port = 0, webPort = 0, host = '127.0.0.1', login } = options;
  const mails: ReceivedMail[] = [];
  const sockets = new Map<number, Socket>();
  const stopped = new AbortController();
  let faults: MailboxFaults = {};
  let connections = 0;

  const drop = ({ remotePort }: Pick<SMTPServerSession, 'remotePort'>) => sockets.get(remotePort)?.destroy();

  const receiveMail = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string | undefined> => {
    const raw = await buffer(stream);
    const { slow = 0, mail, drop: dropAt } = faults;
    await wait(slow, undefined, { signal: stopped.signal });
    if (dropAt === 'mail') {
      drop(session);
      return undefined;
    }
    if (mail !== undefined) throw refusal(mail);
    const { mailFrom, rcptTo } = session.envelope;
    const from = mailFrom === false ? '' : mailFrom.address;
    mails.push({
      number: mails.length + 1,
      receivedAt: new Date().toISOString(),
      envelope: { from, to: rcptTo.map(({ address }) => address) },
      raw: raw.toString('latin1'),
      parsed: await PostalMime.parse(raw),
    });
    if (dropAt === 'thanks') drop(session);
    return `stored as number ${mails.length}`;
  };

  const server = new SMTPServer({
    banner: 'mailbox of the simulator',
    disabledCommands: login === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 10,
    onConnect: (session, done) => {
      connections += 1;
      if (faults.drop === 'connect') drop(session);
      done();
    },
    onAuth: ({ username, password }, _session, done) => {
      const isRight = username === login?.user && password === login?.password;
      if (isRight) done(null, { user: username });
      else done(refusal({ code: 535, text: 'wrong user or password' }));
    },
    onRcptTo: ({ address }, _session, done) => {
      const answer = faults.recipients?.[address];
      done(answer === undefined ? null : refusal(answer));
    },
    onData: (stream, session, done) => {
      receiveMail(stream, session).then(
        (text) => done(null, text),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      );
    },
  });
  // A broken connection is an injected fault, or the sender's own.
  server.on('error', () => undefined);
  server.server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    sockets.set(remotePort, socket);
    socket.on('close', () => sockets.delete(remotePort));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const smtpPort = (server.server.address() as AddressInfo).port;
  const web = await listen(
    createServer((request, response) => answerPage(mails, request, response)),
    host,
    webPort,
  );

  return {
    smtpUrl: `smtp://${host.includes(':') ? `[${host}]` : host}:${smtpPort}`,
    url: web.url,
    mails,
    get connections() {
      return connections;
    },
    setFaults: (next) => {
      faults = next;
    },
    clear: () => {
      mails.length = 0;
    },
    close: async () => {
      stopped.abort();
      for (const socket of sockets.values()) socket.destroy();
      await Promise.all([new Promise<void>((resolve) => server.close(resolve)), web.stop()]);
    },
  };
}

/** smtp-server takes the response code from the error. */
function refusal({ code, text }: SmtpResponse): Error {
  return Object.assign(new Error(text), { responseCode: code });
}
