/** `tidings keys`: makes, lists and removes the keys of the management API. */

import { randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { SCOPES, type Scope } from '../core/model/api-key.ts';
import { UsageError } from '../core/model/errors.ts';
import { type Instant, parseDuration, parseInstant, plus } from '../core/model/time.ts';
import type { Key, KeyInput } from '../kit/client.ts';
import { Problem } from '../manage/api/http/problem.ts';
import { createKey, type KeyRequest, listKeys, removeKey } from '../manage/api/keys.ts';
import { formatUtc } from '../runtime/terminal/dates.ts';
import { table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { operatorOf } from './operator.ts';
import { awsOption, dataOption, jsonOption, readTypeGlob, rejectUnknownCommand } from './options.ts';
import { apiOption, keyOption, type Place, withPlace } from './place.ts';

export function keysCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program.command('keys').summary('make, list and remove keys of the management API');
  addCommand(group, context, exit);
  listCommand(group, context, exit);
  removeCommand(group, context, exit);
}

interface AddFlags extends Place {
  readonly scope: readonly Scope[];
  readonly events?: readonly string[];
  readonly expires?: Instant;
  readonly json: boolean;
}

function addCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
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
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async (name: string, { scope, events, expires, json, ...place }: AddFlags) => {
      if (name.trim() === '' || name.length > 100) {
        throw new UsageError('TIDINGS_KEY_NAME', 'expected a name of at most 100 characters');
      }
      await withPlace(place, { ...context, make: true }, async (stores) => {
        const request = { name, scopes: scope, events, ...(expires === undefined ? {} : { expiresAt: expires }) };
        const made = await (stores.client?.createKey(toKeyInput(request)) ??
          createKey({ ...stores, clock, randomBytes }, operatorOf(context), request).catch(toUsageError));
        if (json) terminal.out(JSON.stringify(made));
        else {
          terminal.out(`key            ${made.token}`);
          terminal.out(`id             ${made.id}`);
          terminal.out('store it now: it is not shown again');
        }
      });
      exit(0);
    });
}

function listCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  group
    .command('list', { isDefault: true })
    .summary('list the keys, oldest first')
    .allowExcessArguments()
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .addOption(jsonOption())
    .action(async ({ json, ...place }: Place & { readonly json: boolean }, list: Command) => {
      rejectUnknownCommand(list);
      await withPlace(place, context, async (stores) => {
        const { data } = await (stores.client?.listKeys() ?? listKeys(stores));
        const lines = json ? data.map((key) => JSON.stringify(key)) : table(data.map(toRow));
        for (const line of lines) terminal.out(line);
        if (data.length === 0 && !json) terminal.err('no keys; make one with: tidings keys add NAME --scope read');
      });
      exit(0);
    });
}

type ListedKey = Awaited<ReturnType<typeof listKeys>>['data'][number] | Key;

function toRow({ id, name, scopes, events, createdAt, lastUsedAt, expiresAt }: ListedKey): readonly string[] {
  const used = lastUsedAt === null ? 'never used' : `last used ${formatUtc(lastUsedAt)}`;
  const end = expiresAt === null ? '' : `expires ${formatUtc(expiresAt)}`;
  return [
    id,
    name,
    [...scopes].join(', '),
    events?.join(', ') ?? 'all events',
    `made ${formatUtc(createdAt)}`,
    used,
    end,
  ];
}

function removeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, clock } = context;
  group
    .command('remove')
    .summary('remove a key; it is refused at once, and its subscriptions stay')
    .argument('<id>', 'the id of the key')
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (id: string, place: Place) => {
      await withPlace(place, context, async (stores) => {
        await (stores.client?.deleteKey(id) ??
          removeKey({ ...stores, clock, randomBytes }, operatorOf(context), id).catch(toUsageError));
        terminal.out(`removed ${id}`);
      });
      exit(0);
    });
}

function toKeyInput({ name, scopes, events, expiresAt }: KeyRequest): KeyInput {
  return {
    name,
    scopes: [...scopes],
    ...(events === undefined ? {} : { events: [...events] }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
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

function toUsageError(error: unknown): never {
  throw error instanceof Problem ? new UsageError(error.code, error.message) : error;
}
