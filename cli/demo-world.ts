/** The surroundings of the demo: a simulated account, two webhook receivers, two chats and a mailbox. */

import { type Listening, listenOn, onFreePort } from '../service/listen.ts';
import { type Mailbox, startMailbox } from '../simulator/mailbox/mailbox.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type Slack, type SlackOptions, startSlack } from '../simulator/slack/slack.ts';
import { startTeams, type Teams } from '../simulator/teams/teams.ts';
import type { Context } from './context.ts';
import { type Received, receiverApp } from './receiver.ts';
import { DEFAULT_PORT } from './serve.ts';

const PORTS = { simulator: 4010, hook: 4015, erp: 4016, slack: 4017, mailbox: 4018, teams: 4019 };

/** Public, and used on this machine only. */
const DEMO_SECRET = 'whsec_VGlkaW5ncyBkZW1vOiBub3QgYSBzZWNyZXQgYXQgYWxs';

/** The same agency and tokens every time: examples/tidings.yaml contains one of them. */
const SEED = 7;

/** Interval of the simulated users' changes. */
const CHANGE_EVERY_MS = 1_000;

/** Time until the digest, after the scripted incidents. */
const DIGEST_AFTER_MS = 100_000;

export interface World {
  readonly simulator: Simulator;
  readonly hook: Listening;
  readonly erp: Erp;
  readonly slack: Slack;
  readonly teams: Teams;
  readonly mailbox: Mailbox;
  /** Time of day of the digest, in the account's zone. */
  readonly morning: string;
  readonly managePort: number;
  /** The variables that examples/agency.yaml refers to. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** A receiver that can go down. */
interface Erp extends Listening {
  isUp: boolean;
  /** Ids of the events it accepted. */
  readonly accepted: ReadonlySet<string>;
  /** Ids of the events it refused while it was down. */
  readonly refused: ReadonlySet<string>;
}

/** @param onRequest called for each request to the receiver of ops-hook */
export async function openWorld({ terminal, clock }: Context, onRequest: (received: Received) => void): Promise<World> {
  const simulator = await onFreePort(PORTS.simulator, terminal, (port) =>
    startSimulator({ port, seed: SEED, tasks: 300, life: CHANGE_EVERY_MS, quota: 1_000_000 }),
  );
  const hook = await onFreePort(PORTS.hook, terminal, (port) =>
    listenOn(receiverApp({ secret: DEMO_SECRET, clock, onRequest }), port),
  );
  const erp = await openErp({ terminal, clock });
  const slack = await onFreePort(PORTS.slack, terminal, (port) => startSlack({ port, ...slackOptions(simulator) }));
  const teams = await onFreePort(PORTS.teams, terminal, (port) => startTeams({ port }));
  const mailbox = await onFreePort(PORTS.mailbox, terminal, (webPort) => startMailbox({ webPort }));
  const morning = timeOfDay(Date.parse(clock.now()) + DIGEST_AFTER_MS, 'Europe/Berlin');
  return {
    simulator,
    hook,
    erp,
    slack,
    teams,
    mailbox,
    morning,
    managePort: DEFAULT_PORT,
    environment: {
      AGENCY_API: simulator.url,
      AGENCY_TOKEN: simulator.tokens.Administrator[0] ?? '',
      AGENCY_SMTP: mailbox.smtpUrl,
      TIDINGS_URL: `http://127.0.0.1:${DEFAULT_PORT}`,
      TIDINGS_LINK_SECRET: 'used on this machine only',
      OPS_URL: `${hook.url}/hook`,
      OPS_SECRET: DEMO_SECRET,
      ERP_URL: `${erp.url}/hook`,
      ERP_SECRET: DEMO_SECRET,
      SLACK_API: slack.apiUrl,
      SLACK_TOKEN: slack.token,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_OPS_URL: slack.webhookUrl,
      TEAMS_URL: teams.webhookUrl,
      MORNING: morning,
    },
    close: async () => {
      await Promise.all([hook.close(), erp.close(), slack.close(), teams.close(), mailbox.close(), simulator.stop()]);
    },
  };
}

/** Who of the agency uses the chat. The others would make the list of people long. */
const MAX_PEOPLE_PER_ROLE = 2;

/** examples/agency.yaml names the first administrator: U00000001. */
const memberId = (personid: string) => `U${personid.padStart(8, '0')}`;

/** A workspace with people of the agency, each with their own token of the API, and channels of every kind. */
function slackOptions(simulator: Simulator): Omit<SlackOptions, 'port'> {
  const holders = simulator.tokenHolders();
  const chosen = (['Administrator', 'Manager', 'Resource'] as const).flatMap((role) =>
    holders.filter((one) => one.role === role).slice(0, MAX_PEOPLE_PER_ROLE),
  );
  const people = chosen.map(({ personid, name, token }, index) => {
    const email = simulator.account.read('person', personid)?.email;
    return {
      id: memberId(personid),
      name,
      note: `Your API token, for /tidings connect: ${token}`,
      isAdmin: index === 0,
      ...(typeof email === 'string' && email !== '' ? { email } : {}),
    };
  });
  const [first = '', second = ''] = people.map(({ id }) => id);
  const guest = { id: 'U0GUEST01', name: 'Gil Marten', guest: 'single-channel' as const };
  return {
    people: [...people, guest],
    channels: [
      'operators',
      'team',
      'website',
      { name: 'board', isPrivate: true, members: [first, second], hasBot: false },
      { name: 'partners', isShared: true, members: [first, second, guest.id] },
    ],
    home: 'team',
    hints: [
      '/tidings help',
      '/tidings subscribe task.closed',
      '/tidings subscribe task.overdue invoice.paid daily 08:30 mon-fri',
      '/tidings list',
      '/tidings connect',
    ],
  };
}

async function openErp({ terminal, clock }: Pick<Context, 'terminal' | 'clock'>): Promise<Erp> {
  const [accepted, refused] = [new Set<string>(), new Set<string>()];
  const app = receiverApp({
    secret: DEMO_SECRET,
    clock,
    statusFor: () => (erp.isUp ? 204 : 503),
    onRequest: ({ id, verified, status }) => {
      if (verified && id !== null) (status < 300 ? accepted : refused).add(id);
    },
  });
  const listening = await onFreePort(PORTS.erp, terminal, (port) => listenOn(app, port));
  const erp: Erp = { ...listening, isUp: true, accepted, refused };
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
