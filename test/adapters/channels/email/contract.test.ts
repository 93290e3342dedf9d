import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { emailChannels } from '../../../../adapters/channels/email/channel.ts';
import { smtpTransport } from '../../../../adapters/channels/email/smtp.ts';
import { localSecrets } from '../../../../adapters/secrets/local-secrets.ts';
import { channelContract, type OpenChannel, type Treatment } from '../../../contract/channel.ts';
import { event, NOON, subscription } from '../../../samples.ts';

const PASSWORD = 'pass/wörd+of "smtp"';
const MANAGE_SECRET = 'signs-all-the-links-in-mails';
const environment = { SMTP_PASSWORD: encodeURIComponent(PASSWORD), MANAGE_SECRET };
const LOGIN = Buffer.from(`\0ann\0${PASSWORD}`).toString('base64');

async function open(patience: number): Promise<OpenChannel> {
  let treatment: Treatment = 'accept';
  const arrived: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    converse(socket, (said, mail) => {
      arrived.push(mail);
      treat(treatment, said, socket);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', () => listening()));
  const secrets = localSecrets({ environment, directory: '' });
  const url = `smtp://ann:\${SMTP_PASSWORD}@127.0.0.1:${(server.address() as AddressInfo).port}`;
  const channels = emailChannels({
    mail: { from: 'Tidings <tidings@example.com>' },
    transport: smtpTransport({ url, secrets, timeout: patience }),
    links: {},
    secrets,
    unsubscribe: { url: 'https://tidings.example.com', secret: '${MANAGE_SECRET}' },
  });
  const email = { to: ['ann@example.com'] };
  return {
    channel: channels.channelFor(email),
    receiver: {
      treat: (next) => {
        treatment = next;
      },
      // The MIME boundary is random.
      arrived: () => arrived.map((mail) => mail.replaceAll(/--_NmP-\w+-/g, '--boundary-')),
    },
    message: {
      subscription: subscription('ops', { to: { channel: 'email', settings: email } }),
      events: [event('1')],
      delivery: 'dlv_1',
      at: NOON,
      timeZone: 'UTC',
    },
    secrets: [
      PASSWORD,
      encodeURIComponent(PASSWORD),
      JSON.stringify(PASSWORD).slice(1, -1),
      LOGIN,
      Buffer.from(PASSWORD).toString('base64'),
      MANAGE_SECRET,
    ],
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await channels.close();
    },
  };
}

/** A minimal SMTP server; the test defines the reply to the end of a mail. */
function converse(socket: Socket, take: (said: readonly string[], mail: string) => void): void {
  const said: string[] = [];
  let mail: string[] | undefined;
  const reply = (words: string) => socket.write(`${words}\r\n`);
  const answers: Readonly<Record<string, string>> = {
    EHLO: '250-here\r\n250 AUTH PLAIN',
    AUTH: '235 welcome',
    DATA: '354 go on',
    QUIT: '221 bye',
  };
  socket.on('error', () => {});
  reply('220 here');
  createInterface({ input: socket }).on('line', (line) => {
    if (mail === undefined) {
      const verb = line.split(' ')[0] ?? '';
      said.push(line);
      if (verb === 'DATA') mail = [];
      reply(answers[verb] ?? '250 ok');
    } else if (line === '.') {
      const whole = mail.join('\n');
      mail = undefined;
      take(said, whole);
    } else {
      mail.push(line);
    }
  });
}

function treat(treatment: Treatment, said: readonly string[], socket: Socket): void {
  // SMTP has no equivalent for these, see below.
  if (typeof treatment === 'object' || treatment === 'gone') throw new Error('no mail server says that');
  const answers: Readonly<Record<typeof treatment, () => unknown>> = {
    accept: () => socket.write('250 kept\r\n'),
    refuseForNow: () => socket.write('451 later\r\n'),
    refuseForGood: () => socket.write('554 never\r\n'),
    hang: () => {},
    cut: () => socket.destroy(),
    drip: () => {
      socket.write('250-');
      const timer = setInterval(() => socket.write('.'), 20);
      socket.on('close', () => clearInterval(timer));
    },
    babble: () => socket.write(`250-hello ${LOGIN}\r\n${'250-ä and so on and on\r\n'.repeat(5000)}250 kept\r\n`),
    echo: () => socket.write(`451-${said.join('\r\n451-')}\r\n451-${echoed()}\r\n451 later\r\n`),
  };
  answers[treatment]();
}

const echoed = () =>
  [PASSWORD, JSON.stringify(PASSWORD), encodeURIComponent(PASSWORD), Buffer.from(PASSWORD).toString('base64')].join(
    ' and ',
  );

// A busy server replies 4xx without a delay, and a 5xx refuses only this mail or this reader, never the subscription.
channelContract('SMTP', ({ patience }) => open(patience), { without: ['slowDown', 'gone'] });
