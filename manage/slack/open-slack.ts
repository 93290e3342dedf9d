/** Opens the Slack app on the stores of either mode. Undefined if the config has none. */

import { randomBytes } from 'node:crypto';
import { slackApi } from '../../adapters/channels/slack/slack-api.ts';
import type { HttpTransport } from '../../adapters/http/http-transport.ts';
import { sourceDefinition } from '../../adapters/sources/registry.ts';
import type { Config } from '../../runtime/config/config.ts';
import { createChangeTurns } from './change-in-turn.ts';
import { hashedEnding, type NameEnding } from './name-ending.ts';
import { keepBriefly, openDirectory } from './slack-directory.ts';
import type { SlackPorts } from './slack-ports.ts';
import { createTurns } from './take-turns.ts';

export type OpenSlackOptions = Omit<
  SlackPorts,
  'slack' | 'directory' | 'config' | 'openSourceAs' | 'randomBytes' | 'http' | 'inTurn' | 'changeInTurn' | 'nameEnding'
> & {
  readonly config: Config;
  readonly http: Pick<HttpTransport, 'post'>;
  /** @default - derived from the draft, so that it tells nothing about other names */
  readonly nameEnding?: NameEnding;
};

export function openSlackPorts({
  config,
  nameEnding = hashedEnding,
  ...ports
}: OpenSlackOptions): SlackPorts | undefined {
  const { slack } = config;
  if (slack === undefined) return undefined;
  const { http, secrets, clock } = ports;
  const api = slackApi({ http, token: () => secrets.resolve(slack.token), api: slack.api, clock });
  return {
    ...ports,
    config: { ...config, slack },
    slack: api,
    directory: keepBriefly(openDirectory(api), clock),
    // One request at a time for one person: the pace of polling does not apply.
    openSourceAs: ({ kind, baseUrl }, asToken) => sourceDefinition(kind).open({ baseUrl, token: asToken, retries: 1 }),
    randomBytes,
    inTurn: createTurns(),
    changeInTurn: createChangeTurns(),
    nameEnding,
  };
}
