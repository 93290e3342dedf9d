/**
 * Starts the simulator: a generated account with simulated activity and a clock, the API on one port and the control API on
 * another. This file only connects the parts.
 */
import { Account } from './account/account.ts';
import { Clock } from './account/clock.ts';
import { Data } from './account/data.ts';
import { RowHistory } from './account/row-history.ts';
import { type Controls, controlServer } from './control.ts';
import { ActiveFaults } from './http/active-faults.ts';
import { Allowance } from './http/allowance.ts';
import { Api } from './http/api.ts';
import { type TokenHolder, Tokens } from './http/authenticate.ts';
import { apiServer, listen } from './http/server.ts';
import { generateAccount } from './people/generate-account.ts';
import { Life } from './people/life.ts';
import { summaryPhrase, titlePhrase } from './people/phrases.ts';
import { Random } from './people/random.ts';
import { type Size, sizeFor } from './people/size.ts';
import { ROLES, type Role } from './resources/resource.ts';
import { type FaultName, type Faults, QUIRKS, type Quirks, readFaults, readQuirks } from './switches.ts';

export type { Account } from './account/account.ts';
export type { JournalEntry } from './account/journal.ts';
export type { TokenHolder } from './http/authenticate.ts';
export type { Role } from './resources/resource.ts';
export type { WireRecord } from './resources/wire.ts';

export interface SimulatorOptions extends Partial<Size> {
  /** Port of the API. @default 0, any free one */
  port?: number;
  /** Port of the control API. @default 0, any free one */
  controlPort?: number;
  /** @default '127.0.0.1' */
  host?: string;
  /** The same seed and start give the same account and activity. @default 1 */
  seed?: number;
  /** Number of tasks at the start, up to 1,000,000 and more; other sizes are derived from it unless given. @default 1000 */
  tasks?: number;
  /** IANA zone of the account, which defines "today". @default 'Europe/Berlin' */
  timeZone?: string;
  /** ISO instant at which the account's clock starts. @default - the machine's time */
  now?: string;
  /** How many times faster than the machine the clock runs; 0 stands still until set. @default 1 */
  speed?: number;
  /** Milliseconds of the account's time between two simulated user actions. @default - no activity */
  life?: number | undefined;
  /** Requests a day, reset at midnight GMT; Infinity for none. @default 6000 */
  quota?: number;
  /** Requests a minute from one address. @default - no limit */
  perMinute?: number | undefined;
  /** Projects the plan lets be active. @default - any number */
  activeProjects?: number | undefined;
  /** Quirks that differ from the defaults. @default - see QUIRKS */
  quirks?: Partial<Quirks>;
  /** Faults that are active from the start; `true` uses the default setting. @default - none */
  faults?: { [Name in FaultName]?: Faults[Name] | boolean };
}

export interface Simulator {
  /** Base URL of the API, without a slash at the end. */
  readonly url: string;
  /** Base URL of the control API: …/_sim */
  readonly controlUrl: string;
  /** Tokens by role, at most three each. The second one of Resource sees only their own tasks. */
  readonly tokens: Readonly<Record<Role, string[]>>;
  /** Everyone who can log in, with their personal token. */
  tokenHolders(): readonly TokenHolder[];
  /** The account itself: change it, read its journal, set its clock. */
  readonly account: Account;
  readonly quota: Allowance;
  /** Switches faults on, or off with false. Other faults are unchanged. */
  setFaults(faults: { [Name in FaultName]?: Faults[Name] | boolean }): void;
  setQuirks(quirks: Partial<Quirks>): void;
  /** Gives a token another role; undefined restores its own. */
  setRole(token: string, role: Role | undefined): void;
  /** Closes both ports and every connection. */
  stop(): Promise<void>;
}

/** Starts on the requested ports. A port in use is an error with code EADDRINUSE. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const seed = options.seed ?? 1;
  const clock = new Clock({ start: startOf(options.now), speed: options.speed });
  const quirks: Quirks = { ...QUIRKS, ...readQuirks(options.quirks ?? {}) };
  const account = openAccount(options, clock, quirks, seed);
  const life = new Life(account, seed, options.life);
  account.life = life;

  const tokens = new Tokens(account, seed);
  const allowance = new Allowance(clock, options.quota ?? 6000, options.perMinute);
  const activeFaults = new ActiveFaults(new Random(seed, 8));
  const controls: Controls = {
    account,
    life,
    tokens,
    allowance,
    quirks,
    faults: () => activeFaults.settings,
    setFaults: (sent) => {
      activeFaults.set(readFaults(sent));
      applyLag(activeFaults, account);
    },
    clearFaults: () => {
      activeFaults.clear();
      applyLag(activeFaults, account);
    },
    setQuirks: (sent) => {
      Object.assign(quirks, readQuirks(sent));
      account.data.hoursModify = quirks.hoursModify;
    },
  };
  controls.setFaults(options.faults ?? {});

  const api = new Api({ account, tokens, allowance, faults: activeFaults, quirks, random: new Random(seed, 9) });
  const ending = new AbortController();
  const host = options.host ?? '127.0.0.1';
  const open = await listen(
    apiServer(api, activeFaults, () => clock.now(), ending.signal),
    host,
    options.port ?? 0,
  );
  const control = await listen(controlServer(controls), host, options.controlPort ?? 0).catch(
    async (error: unknown) => {
      await open.stop();
      throw error;
    },
  );
  return {
    url: open.url,
    controlUrl: `${control.url}/_sim`,
    tokens: tokensByRole(tokens),
    tokenHolders: () => tokens.list(),
    account,
    quota: allowance,
    setFaults: controls.setFaults,
    setQuirks: controls.setQuirks,
    setRole: (token, role) => tokens.setRole(token, role),
    stop: async () => {
      ending.abort();
      await Promise.all([open.stop(), control.stop()]);
    },
  };
}

/** Generates the account at the start of the clock. */
function openAccount(options: SimulatorOptions, clock: Clock, quirks: Quirks, seed: number): Account {
  const tasks = options.tasks ?? 1000;
  if (!Number.isInteger(tasks) || tasks < 1)
    throw new RangeError(`tasks: expected a whole number from 1, got ${tasks}`);
  const data = new Data({
    clock,
    timeZone: options.timeZone ?? 'Europe/Berlin',
    titles: titlePhrase,
    summaries: summaryPhrase,
    tasks,
  });
  clock.still(() => generateAccount(data, sizeFor(tasks, options), seed));
  data.activeProjects = options.activeProjects;
  data.hoursModify = quirks.hoursModify;
  return new Account(data, quirks);
}

/** The fault `lateModified` concerns the account, not the responses; `replicaLag` needs its earlier states. */
function applyLag(activeFaults: ActiveFaults, account: Account): void {
  const { lateModified: late, replicaLag } = activeFaults.settings;
  account.data.history = replicaLag === undefined ? undefined : (account.data.history ?? new RowHistory());
  account.data.lag = late === undefined ? undefined : { ms: late.ms, mode: late.mode ?? 'index' };
}

function startOf(now: string | undefined): number | undefined {
  if (now === undefined) return undefined;
  const ms = Date.parse(now);
  if (Number.isNaN(ms)) throw new RangeError(`now: expected an ISO instant, got '${now}'`);
  return ms;
}

function tokensByRole(tokens: Tokens): Record<Role, string[]> {
  const all = tokens.list();
  const of = (role: Role) =>
    all
      .filter((holder) => holder.role === role)
      .slice(0, 3)
      .map(({ token }) => token);
  return Object.fromEntries(ROLES.map((role) => [role, of(role)])) as Record<Role, string[]>;
}
