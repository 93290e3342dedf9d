/** Everything of the demo that is not Tidings: the account, two receivers of webhooks, a chat and a mailbox. */

import { type Mailbox, startMailbox } from '../simulator/mailbox/mailbox.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type Slack, startSlack } from '../simulator/slack/slack.ts';
import type { Context } from './context.ts';
import { sayReceived } from './listen-words.ts';
import { type Received, receiverApp } from './receiver.ts';
import { DEFAULT_PORT } from './serve.ts';
import { type Listening, listenOn, onFreePort } from './serve-app.ts';

const PORTS = { simulator: 4010, hook: 4015, erp: 4016, slack: 4017, mailPage: 4018, smtp: 4025 };

/** Known to everyone, and good for nothing but this machine. */
export const DEMO_SECRET = 'whsec_VGlkaW5ncyBkZW1vOiBub3QgYSBzZWNyZXQgYXQgYWxs';

/** The same agency every time, with the same tokens: examples/tidings.yaml names one. */
const SEED = 7;

/** Somebody does something every second. */
const LIFE_MS = 1_000;

/** How long until the digest: the story is told by then. */
const MORNING_MS = 100_000;

export interface World {
  readonly simulator: Simulator;
  readonly hook: Listening;
  readonly erp: Erp;
  readonly slack: Slack;
  readonly mailbox: Mailbox;
  /** Time of day of the digest, on the clocks of the account. */
  readonly morning: string;
  readonly managePort: number;
  /** The variables examples/agency.yaml names. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A receiver that can die. */
export interface Erp extends Listening {
  isUp: boolean;
  /** Events it took, by id. */
  readonly taken: ReadonlySet<string>;
  /** Requests it refused while it was down. */
  readonly refused: ReadonlySet<string>;
}

export async function openWorld({ terminal, clock }: Context): Promise<World> {
  const simulator = await onFreePort(PORTS.simulator, terminal, (port) =>
    startSimulator({ port, seed: SEED, tasks: 300, life: LIFE_MS, quota: 1_000_000 }),
  );
  const told = (received: Received) => terminal.out(sayReceived(received, terminal));
  const hook = await onFreePort(PORTS.hook, terminal, (port) =>
    listenOn(receiverApp({ secret: DEMO_SECRET, clock, told }), port),
  );
  const erp = await openErp({ terminal, clock });
  const slack = await onFreePort(PORTS.slack, terminal, (port) =>
    startSlack({ port, channels: ['operators', 'team'] }),
  );
  const mailbox = await onFreePort(PORTS.mailPage, terminal, (webPort) =>
    onFreePort(PORTS.smtp, terminal, (port) => startMailbox({ port, webPort })),
  );
  const morning = timeOfDay(Date.parse(clock.now()) + MORNING_MS, 'Europe/Berlin');
  return {
    simulator,
    hook,
    erp,
    slack,
    mailbox,
    morning,
    managePort: DEFAULT_PORT,
    environment: {
      AGENCY_API: simulator.url,
      AGENCY_TOKEN: simulator.tokens.Administrator[0] ?? '',
      AGENCY_SMTP: mailbox.smtpUrl,
      TIDINGS_URL: `http://127.0.0.1:${DEFAULT_PORT}`,
      TIDINGS_LINK_SECRET: 'good for nothing but this machine',
      OPS_URL: `${hook.url}/hook`,
      OPS_SECRET: DEMO_SECRET,
      ERP_URL: `${erp.url}/hook`,
      ERP_SECRET: DEMO_SECRET,
      SLACK_API: slack.apiUrl,
      SLACK_TOKEN: slack.token,
      SLACK_OPS_URL: slack.webhookUrl,
      MORNING: morning,
    },
    close: async () => {
      await Promise.all([hook.close(), erp.close(), slack.close(), mailbox.close(), simulator.stop()]);
    },
  };
}

async function openErp({ terminal, clock }: Pick<Context, 'terminal' | 'clock'>): Promise<Erp> {
  const [taken, refused] = [new Set<string>(), new Set<string>()];
  const app = receiverApp({
    secret: DEMO_SECRET,
    clock,
    statusFor: () => (erp.isUp ? 204 : 503),
    told: ({ id, verified, status }) => {
      if (verified && id !== null) (status < 300 ? taken : refused).add(id);
    },
  });
  const listening = await onFreePort(PORTS.erp, terminal, (port) => listenOn(app, port));
  const erp: Erp = { ...listening, isUp: true, taken, refused };
  return erp;
}

function timeOfDay(millis: number, zone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return format.format(millis);
}
