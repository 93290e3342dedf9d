/**
 * A mail server that accepts every mail and forwards none: it parses and stores mails and shows them on a page. It responds
 * with errors where a fault is set. It speaks real SMTP and knows nothing of the sender.
 */

import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server';
import { listen } from '../http/server.ts';
import { answerPage } from './page.ts';

export interface ReceivedMail {
  /** 1 for the first. */
  readonly number: number;
  readonly receivedAt: string;
  /** Recipients of the SMTP envelope, which the headers need not contain. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** As it came. */
  readonly raw: string;
  readonly parsed: Email;
}

/** An answer of SMTP: 4xx is "not now", 5xx is "never". */
export interface SmtpAnswer {
  readonly code: number;
  readonly words: string;
}

/** Faults that stay active until they are changed. */
export interface MailboxFaults {
  /** Response to RCPT by address. @default - all are accepted */
  readonly readers?: Readonly<Record<string, SmtpAnswer>>;
  /** Response to DATA. @default - the mail is accepted */
  readonly mail?: SmtpAnswer;
  /** Where the connection breaks: at the start, at DATA, or after the mail is stored and before the response. @default - nowhere */
  readonly drop?: 'connect' | 'mail' | 'thanks';
  /** Delay of the response to DATA in milliseconds. @default 0 */
  readonly slow?: number;
}

export interface MailboxOptions {
  /** Of SMTP. @default 0, any that is free */
  readonly port?: number;
  /** Of the page. @default 0, any that is free */
  readonly webPort?: number;
  /** @default 127.0.0.1 */
  readonly host?: string;
  /** Credentials of the sender. @default - no login */
  readonly login?: { readonly user: string; readonly password: string };
}

export interface Mailbox {
  /** `smtp://127.0.0.1:2525` */
  readonly smtpUrl: string;
  /** Of the page. */
  readonly url: string;
  /** In the order they came. */
  readonly mails: readonly ReceivedMail[];
  /** How many connections there were. */
  readonly connections: number;
  setFaults(faults: MailboxFaults): void;
  /** Forgets all mails. */
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

  const take = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string | undefined> => {
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
    return `kept as number ${mails.length}`;
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
      else done(refusal({ code: 535, words: 'wrong user or password' }));
    },
    onRcptTo: ({ address }, _session, done) => {
      const answer = faults.readers?.[address];
      done(answer === undefined ? null : refusal(answer));
    },
    onData: (stream, session, done) => {
      take(stream, session).then(
        (words) => done(null, words),
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

/** The server reads the code off the error. */
function refusal({ code, words }: SmtpAnswer): Error {
  return Object.assign(new Error(words), { responseCode: code });
}
