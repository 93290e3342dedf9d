/** `tidings slack`: prints the manifest of the Slack app, and checks its tokens, scopes and socket. */

import type { Command } from 'commander';
import { WebSocket } from 'ws';
import { slackApi } from '../adapters/channels/slack/slack-api.ts';
import { openHttpTransport } from '../adapters/http/http-transport.ts';
import { errorMessage, UsageError } from '../core/model/errors.ts';
import { readJsonObject } from '../core/model/json.ts';
import type { Config, SlackConfig } from '../runtime/config/config.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import { openSocketUrl } from '../service/serve-slack.ts';
import type { Context, ExitCode } from './context.ts';
import { loadConfigFor } from './load-config.ts';
import { awsOption, configOption, dataOption } from './options.ts';
import { BOT_SCOPES, manifestLink, slackManifest } from './slack-manifest.ts';

export function slackCommand(program: Command, context: Context, exit: (code: ExitCode) => void): void {
  const group = program.command('slack').summary('print the manifest of the Slack app, and check it');
  manifestCommand(group, context, exit);
  checkSlackCommand(group, context, exit);
}

function manifestCommand(group: Command, { terminal }: Context, exit: (code: ExitCode) => void): void {
  group
    .command('manifest')
    .summary('print the manifest of the app, and the link that creates it')
    .description(
      'Without --url the app uses Socket Mode, which needs no public URL. With --url Slack sends requests there: the URL of the\n' +
        'stack in AWS (the output ManageUrl), or of your proxy in front of `serve`.',
    )
    .option('--url <url>', 'base URL of the deployment, such as https://tidings.example.com', readBaseUrl)
    .option('--json', 'print only the manifest', false)
    .action(({ url, json }: { readonly url?: string; readonly json: boolean }) => {
      const manifest = slackManifest(url);
      terminal.out(JSON.stringify(manifest, null, 2));
      if (!json) {
        terminal.out('');
        terminal.out('create the app with this link, then install it on its page:');
        terminal.out(manifestLink(manifest));
      }
      exit(0);
    });
}

function readBaseUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:') {
    throw new UsageError(
      'TIDINGS_URL_INVALID',
      `--url: expected an https URL, because Slack calls no other, got '${text}'`,
    );
  }
  return text.replace(/\/+(slack)?\/*$/, '');
}

interface SlackCheckFlags extends DataLocation {
  readonly config: string;
}

function checkSlackCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal, environment } = context;
  group
    .command('check')
    .summary('try the token, its scopes, and the socket')
    .addOption(configOption())
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (flags: SlackCheckFlags) => {
      const config = loadConfigFor(flags, environment);
      const { slack } = config;
      if (slack === undefined) {
        throw new UsageError(
          'TIDINGS_SLACK_UNCONFIGURED',
          `${flags.config}: expected a section slack; see docs/slack.md`,
        );
      }
      const findings = await withStores(flags, { ...context, make: true }, ({ secrets }) =>
        checkSlackApp(config, slack, (reference) => secrets.resolve(reference), context),
      );
      for (const { ok, text } of findings) {
        terminal.out(`${ok ? terminal.paint('green', '✔') : terminal.paint('red', '✗')} ${text}`);
      }
      exit(findings.every(({ ok }) => ok) ? 0 : 1);
    });
}

interface Finding {
  readonly ok: boolean;
  readonly text: string;
}

/** Sends no message and changes nothing. */
async function checkSlackApp(
  config: Config,
  slack: SlackConfig,
  resolve: (reference: string) => Promise<string>,
  { clock }: Pick<Context, 'clock'>,
): Promise<readonly Finding[]> {
  const http = openHttpTransport({ allow: config.network.allow });
  const { api, appToken, signingSecret } = slack;
  const attempt = async (what: string, run: () => Promise<Finding[]>): Promise<Finding[]> =>
    run().catch((error: unknown) => [{ ok: false, text: `${what}: ${errorMessage(error)}` }]);
  try {
    return [
      ...(await attempt('slack.token', () =>
        checkToken(slackApi({ http, token: () => resolve(slack.token), api, clock })),
      )),
      ...(appToken === undefined
        ? []
        : await attempt('slack.appToken', async () => {
            await tryConnection(await openSocketUrl({ http, token: () => resolve(appToken), api, clock }));
            return [{ ok: true, text: 'socket: Slack said hello' }];
          })),
      ...(signingSecret === undefined
        ? []
        : await attempt('slack.signingSecret', async () => [describeSigningSecret(await resolve(signingSecret))])),
      ...(slack.offer.length === 0 && slack.admins.length === 0
        ? [{ ok: false, text: 'slack.offer and slack.admins are empty: no channel can subscribe to anything' }]
        : []),
    ];
  } finally {
    await http.close();
  }
}

async function checkToken(api: ReturnType<typeof slackApi>): Promise<Finding[]> {
  const answer = await api.call('auth.test', {});
  if (!answer.ok) return [{ ok: false, text: `slack.token: Slack answered ${answer.error}` }];
  const { team = '', user = '', team_id: teamId } = answer.body;
  if (typeof teamId !== 'string' || teamId === '')
    return [
      { ok: false, text: 'slack.token: Slack does not say which workspace it is of, so every request is refused' },
    ];
  const missing = BOT_SCOPES.filter((scope) => !answer.scopes.includes(scope));
  return [
    { ok: true, text: `token: ${String(user)} in the workspace ${String(team)}` },
    missing.length === 0
      ? { ok: true, text: `scopes: ${BOT_SCOPES.join(', ')}` }
      : {
          ok: false,
          text: `scopes: ${missing.join(', ')} missing; add them on the page of the app and install it again`,
        },
  ];
}

function describeSigningSecret(secret: string): Finding {
  return /^[0-9a-f]{32}$/.test(secret.trim())
    ? { ok: true, text: 'signing secret: has the form of one; only a request of Slack’s can prove it' }
    : { ok: false, text: 'slack.signingSecret: expected 32 hexadecimal digits, as on the page of the app' };
}

const HELLO_TIMEOUT_MS = 10_000;

/** Resolves when Slack says hello, and closes the socket. */
function tryConnection(url: string): Promise<void> {
  const socket = new WebSocket(url);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error('Slack opened the socket, but said nothing')), HELLO_TIMEOUT_MS);
  socket.on('message', (data) => {
    if (readJsonObject(String(data))?.type === 'hello') resolve();
  });
  socket.on('error', reject);
  return promise.finally(() => {
    clearTimeout(timer);
    socket.terminate();
  });
}
