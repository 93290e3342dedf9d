/** `tidings console`: makes a single-use link to the console, prints it and opens it. Ends all sessions on request. */

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { readServedUrl } from '../adapters/sqlite/serve-lock.ts';
import { endAllSessions, makeLogInLink } from '../console/log-in-link.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Stores } from '../runtime/inspect/stores.ts';
import type { Context, ExitCode } from './context.ts';
import { operatorOf } from './operator.ts';
import { awsOption, dataOption, locationFlags } from './options.ts';

interface ConsoleFlags extends DataLocation {
  readonly readOnly: boolean;
  readonly url?: string;
  readonly open: boolean;
  readonly endSessions: boolean;
}

export function consoleCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  program
    .command('console')
    .summary('open the console: a link that works once, within 10 minutes')
    .description(
      'Prints a link to the console of a running `tidings serve` or of a stack, and opens it in a browser if this is a terminal.\n' +
        'The link works once, within 10 minutes, and opens a session of 12 hours. The audit trail names who made it.',
    )
    .option('--read-only', 'a link for someone who may look but not change anything', false)
    .option('--url <address>', "the console's server (default: the one that serves the data, or the stack's own)")
    .option('--no-open', 'only print the link')
    .option('--end-sessions', 'end all sessions and links instead', false)
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async ({ readOnly, url, open, endSessions, ...location }: ConsoleFlags) => {
      const { terminal, clock } = context;
      await withStores(location, context, async (stores) => {
        const ports = { ...stores, clock, randomBytes };
        const caller = await findCaller(stores, context);
        if (endSessions) {
          const count = await endAllSessions(ports, caller);
          terminal.out(`ended ${count === 1 ? '1 session or link' : `${count} sessions and links`}`);
          return;
        }
        const base = readBase(url) ?? stores.consoleUrl ?? readServedUrl(location.data) ?? noServer(location);
        const link = await makeLogInLink(ports, caller, base, readOnly ? 'read' : 'admin');
        terminal.out(link);
        terminal.err(`works once, within 10 minutes${readOnly ? ', read-only' : ''}`);
        if (open && context.ask !== undefined) openInBrowser(link);
      });
      exit(0);
    });
}

/** In AWS the caller's identity, elsewhere the name of their account on this machine. */
async function findCaller({ identify }: Stores, context: Context): Promise<Caller> {
  const arn = await identify?.();
  return arn === undefined ? operatorOf(context) : { kind: 'iam', id: arn, scopes: ['admin'] };
}

function readBase(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(
    'TIDINGS_CONSOLE_URL',
    `--url: expected an address such as https://tidings.example.com, got '${text}'`,
  );
}

function noServer(location: DataLocation): never {
  throw new UsageError(
    'TIDINGS_CONSOLE_OFF',
    location.aws === undefined
      ? `no tidings serve with a console has used this data yet: start it with: tidings serve${locationFlags(location)}, or name its address with --url`
      : `stack '${location.aws}' has no console: set manage.console to on in its config and deploy it, or name its address with --url`,
  );
}

/** A browser that cannot be started is no error: the link is printed. */
function openInBrowser(link: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', link]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', link]
        : ['xdg-open', link];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
