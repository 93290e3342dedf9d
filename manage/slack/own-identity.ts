/**
 * Whose app this is: its workspace and its id, as Slack reports them for the bot's token. A signed request of another workspace
 * or app is refused: one app may be installed in several workspaces, which share its signing secret.
 */

import { createHash } from 'node:crypto';
import { RetryLater } from '../../core/model/errors.ts';
import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import { DAY, HOUR, type Instant, plus } from '../../core/model/time.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackOrigin } from './slack-request.ts';

interface SlackIdentity {
  readonly team: string;
  /** The organisation. Empty for a workspace that is in none. */
  readonly enterprise: string;
  /** Whether the app is installed in all workspaces of the organisation. */
  readonly isOrgInstall: boolean;
  /** Empty if Slack does not tell it. */
  readonly app: string;
}

type IdentityPorts = Pick<SlackPorts, 'slack' | 'documents' | 'secrets' | 'config' | 'clock'>;

const IDENTITY = 'slack-identity';
const KEPT_FOR = DAY;

/** Requests are answered within three seconds: Slack is asked once an hour and process, and the answer is stored for all. */
const FRESH_FOR = HOUR;
const known = new WeakMap<SlackPorts['slack'], { readonly until: Instant; readonly identity: SlackIdentity }>();

/** Undefined if Slack does not accept the token, or does not say whose it is: then nobody is of this workspace. */
export async function readOwnIdentity(ports: IdentityPorts): Promise<SlackIdentity | undefined> {
  const { slack, clock } = ports;
  const now = clock.now();
  const cached = known.get(slack);
  if (cached !== undefined && now < cached.until) return cached.identity;
  const identity = await readStored(ports);
  if (identity !== undefined) known.set(slack, { until: plus(now, FRESH_FOR), identity });
  return identity;
}

async function readStored(ports: IdentityPorts): Promise<SlackIdentity | undefined> {
  const { documents, secrets, config, clock } = ports;
  // Another token may be of another workspace.
  const token = await secrets.resolve(config.slack.token);
  const id = createHash('sha256').update(token.trim()).digest('hex').slice(0, 32);
  const stored = await documents.get(IDENTITY, id);
  if (stored !== undefined) return toIdentity(stored);
  const asked = await askSlack(ports);
  if (asked !== undefined) await documents.save(IDENTITY, id, { ...asked }, plus(clock.now(), KEPT_FOR));
  return asked;
}

async function askSlack({ slack }: Pick<SlackPorts, 'slack'>): Promise<SlackIdentity | undefined> {
  const answer = await slack.call('auth.test', {});
  if (!answer.ok || jsonTextOf(answer.body.team_id) === '') return undefined;
  const { team_id: team, enterprise_id: enterprise, is_enterprise_install: isOrgInstall, bot_id: bot } = answer.body;
  return toIdentity({ team, enterprise, isOrgInstall, app: await askApp(slack, jsonTextOf(bot)) });
}

/** Empty if Slack does not tell it: the signing secret is of one app anyway. */
async function askApp(slack: SlackPorts['slack'], bot: string): Promise<string> {
  if (bot === '') return '';
  const info = await slack.call('bots.info', { bot }).catch((error: unknown) => {
    if (error instanceof RetryLater) return undefined;
    throw error;
  });
  return info?.ok === true ? jsonTextOf(jsonObjectOf(info.body.bot).app_id) : '';
}

function toIdentity({ team, enterprise, isOrgInstall, app }: Readonly<Record<string, unknown>>): SlackIdentity {
  return {
    team: jsonTextOf(team),
    enterprise: jsonTextOf(enterprise),
    isOrgInstall: isOrgInstall === true,
    app: jsonTextOf(app),
  };
}

/** Why the request is not for this installation; undefined if it is. Slack is not asked about a request that names none. */
export async function findOriginProblem(ports: IdentityPorts, origin: SlackOrigin): Promise<string | undefined> {
  if (origin.app === '' && origin.teams.length === 0 && origin.enterprises.length === 0) return undefined;
  const own = await readOwnIdentity(ports);
  if (own === undefined) return 'Slack does not say which workspace the token is of: check it with tidings slack check';
  return compareOrigin(own, origin);
}

function compareOrigin(own: SlackIdentity, origin: SlackOrigin): string | undefined {
  if (own.app !== '' && origin.app !== '' && origin.app !== own.app)
    return 'expected a request of this app, got one of another app';
  const isOfOrganisation = own.enterprise !== '' && origin.enterprises.includes(own.enterprise);
  const isOtherOrganisation = own.enterprise !== '' && origin.enterprises.length > 0 && !isOfOrganisation;
  // A request for all workspaces of an organisation names no workspace.
  const isOfTeam =
    origin.teams.includes(own.team) || (own.isOrgInstall && isOfOrganisation) || origin.teams.length === 0;
  if (isOtherOrganisation || !isOfTeam) return 'expected a request of this workspace, got one of another workspace';
  return undefined;
}

/** Whether a person, as `users.info` shows them, is of this workspace or organisation. Slack names the workspace of everyone. */
export function isOwnPerson(own: SlackIdentity, person: Readonly<Record<string, unknown>>): boolean {
  const { enterprise_id: enterprise, teams } = jsonObjectOf(person.enterprise_user);
  if (own.enterprise !== '' && enterprise === own.enterprise) return true;
  if (Array.isArray(teams) && teams.includes(own.team)) return true;
  return person.team_id === own.team;
}
