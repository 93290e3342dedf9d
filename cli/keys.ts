/** `tidings keys`: makes, lists and removes the keys of the management API. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES, type Scope } from '../core/model/api-key.ts';
import { UsageError } from '../core/model/errors.ts';
import { type Instant, parseDuration, parseInstant, plus } from '../core/model/time.ts';
import { keyQuotasSchema } from '../manage/api/http/schemas.ts';
import type { KeyRequest } from '../manage/api/keys.ts';
import { formatStamp } from '../runtime/terminal/dates.ts';
import { pluralize, table } from '../runtime/terminal/terminal.ts';
import type { ListedKey } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { noteZone } from './note-zone.ts';
import { addLocationOptions, jsonOption, readTypeGlob, rejectUnknownCommand } from './options.ts';

export function keysCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program.command('keys').summary('make, list and remove keys of the management API');
  addCommand(group, context, exit);
  listCommand(group, context, exit);
  removeCommand(group, context, exit);
}

interface AddFlags extends Location {
  readonly scope: readonly Scope[];
  readonly events?: readonly string[];
  readonly expires?: Instant;
  readonly quota?: KeyRequest['quotas'];
  readonly json: boolean;
}

function addCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  const command = group
    .command('add')
    .summary('make a key and print it once')
    .description(
      'Makes a key and prints it once; only its hash is stored. Scopes: read reads everything; subscribe makes and manages its own\n' +
        'subscriptions; operate also manages those of others, retries and replays; admin also manages keys and reads the audit trail.',
    )
    .argument('<name>', 'who uses it, for lists and the audit trail')
    .addOption(
      new Option('--scope <scopes...>', `what it may do: ${SCOPES.join(', ')}`).choices(SCOPES).makeOptionMandatory(),
    )
    .option('--events <types...>', "only these event types, e.g. 'invoice.*' (default: all)", readGlobs)
    .option(
      '--expires <time>',
      "when it ends: a timestamp, or a duration from now such as '90d' (default: never)",
      readExpiry(clock.now),
    )
    .option(
      '--quota <name=value...>',
      `what it may use, where that differs from other keys: ${QUOTA_NAMES.join(', ')}, e.g. requests=1200/m subscriptions=10`,
      readQuota,
    );
  addLocationOptions(command)
    .addOption(jsonOption())
    .action(
      async (
        name: string,
        { scope: scopes, events, expires: expiresAt, quota: quotas, json, ...location }: AddFlags,
      ) => {
        if (name.trim() === '' || name.length > 100) {
          throw new UsageError('TIDINGS_KEY_NAME', 'expected a name of at most 100 characters');
        }
        const request = { name, scopes, events, expiresAt, quotas };
        const key = await withBackend(location, context, ({ keys }) => keys.add(request));
        if (json) terminal.out(JSON.stringify(key));
        else {
          terminal.out(`key            ${key.token}`);
          terminal.out(`id             ${key.id}`);
          terminal.out('store it now: it is not shown again');
        }
        exit(0);
      },
    );
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const list = group.command('list', { isDefault: true }).summary('list the keys, oldest first').allowExcessArguments();
  addLocationOptions(list)
    .addOption(jsonOption())
    .action(async ({ json, ...location }: Location & { readonly json: boolean }) => {
      rejectUnknownCommand(list);
      const [keys, zone] = await withBackend(location, context, async (backend) => [
        await backend.keys.list(),
        json ? 'UTC' : await backend.readZone(),
      ]);
      const lines = json ? keys.map((key) => JSON.stringify(key)) : table(keys.map((key) => toRow(key, zone)));
      if (keys.length > 0) noteZone(zone, terminal);
      for (const line of lines) terminal.out(line);
      if (keys.length === 0 && !json) terminal.err('no keys; make one with: tidings keys add NAME --scope read');
      exit(0);
    });
}

function toRow(
  { id, name, scopes, events, createdAt, lastUsedAt, expiresAt, quotas, subscriptions }: ListedKey,
  zone: string,
): readonly string[] {
  const used = lastUsedAt === null ? 'never used' : `last used ${formatStamp(zone, lastUsedAt)}`;
  const end = expiresAt === null ? '' : `expires ${formatStamp(zone, expiresAt)}`;
  return [
    id,
    name,
    [...scopes].join(', '),
    events?.join(', ') ?? 'all events',
    `made ${formatStamp(zone, createdAt)}`,
    used,
    end,
    // A server of an earlier version does not count them.
    subscriptions > 0 ? pluralize(subscriptions, 'subscription') : '',
    Object.entries(quotas ?? {})
      .map((pair) => pair.join('='))
      .join(' '),
  ];
}

interface RemoveFlags extends Location {
  readonly subscriptions: boolean;
}

function removeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('remove')
    .summary('remove a key; it is refused at once, and its subscriptions stay')
    .description(
      'Removes a key: it is refused at once. The subscriptions that it made go on sending, unless --subscriptions removes them too.',
    )
    .argument('<id>', 'the id of the key')
    .option('--subscriptions', 'also remove the subscriptions that it made, even if the key is gone already', false);
  addLocationOptions(command).action(async (id: string, { subscriptions: isWithThem, ...location }: RemoveFlags) => {
    await withBackend(location, context, async ({ keys, subscriptions }) => {
      const made = (await subscriptions.list()).filter(({ owner }) => owner === id).map(({ name }) => name);
      const isGone = !(await keys.list()).some((key) => key.id === id);
      // The first run may have ended between the two.
      if (!isGone || !isWithThem || made.length === 0) {
        await keys.remove(id);
        terminal.out(`removed ${id}`);
      }
      if (isWithThem)
        for (const name of await keys.removeSubscriptions(id)) terminal.out(`removed subscription ${name}`);
      else if (made.length > 0) terminal.err(sayLeft(id, made));
    });
    exit(0);
  });
}

const MAX_NAMES = 10;

function sayLeft(id: string, names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? [`and ${names.length - MAX_NAMES} more`] : [];
  const list = [...names.slice(0, MAX_NAMES), ...more].join(', ');
  const what = names.length === 1 ? 'its subscription stays and goes' : `its ${names.length} subscriptions stay and go`;
  return `${what} on sending: ${list}\nremove with: tidings keys remove ${id} --subscriptions`;
}

const QUOTA_NAMES = keyQuotasSchema.keyof().options;

function readQuota(text: string, known: KeyRequest['quotas'] = {}): KeyRequest['quotas'] {
  const [name = '', value = ''] = text.split(/=(.*)/s);
  const wanted = QUOTA_NAMES.find((one) => one === name);
  if (wanted === undefined) {
    throw new InvalidArgumentError(`Expected one of ${QUOTA_NAMES.join(', ')} and its value, such as requests=1200/m.`);
  }
  const isAmount = wanted === 'subscriptions' || wanted === 'bytes' || wanted === 'comparisons';
  const parsed = keyQuotasSchema.shape[wanted].safeParse(isAmount && /^\d+$/.test(value) ? Number(value) : value);
  if (!parsed.success) throw new InvalidArgumentError(`${wanted}: ${parsed.error.issues[0]?.message}.`);
  return { ...known, [wanted]: parsed.data };
}

function readGlobs(glob: string, known: readonly string[] = []): readonly string[] {
  return [...known, readTypeGlob(glob)];
}

function readExpiry(now: () => Instant): (text: string) => Instant {
  return (text) => {
    const ahead = parseDuration(text);
    const instant = ahead === undefined ? parseInstant(text) : plus(now(), ahead);
    if (instant !== undefined) return instant;
    throw new InvalidArgumentError("Expected a timestamp such as '2027-01-31T00:00:00Z', or a duration such as '90d'.");
  };
}
