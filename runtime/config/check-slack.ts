/** Checks the section `slack`: what the mode requires, event types and member ids. */

import { checkProtocol } from '../../adapters/channels/http/check.ts';
import { isMemberId } from '../../adapters/channels/slack/mentions.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { At } from './check.ts';
import { pathText } from './problems.ts';
import type { ParsedConfig } from './schema.ts';

export function checkSlack(
  { slack, manage, network }: Pick<ParsedConfig, 'slack' | 'manage' | 'network'>,
  mode: Mode,
  at: At,
): ConfigProblem[] {
  if (slack === undefined) return [];
  const { admins, api = '' } = slack;
  return [
    ...findMissing(slack, manage !== undefined, mode),
    ...admins.flatMap((id, index) =>
      isMemberId(id) ? [] : [at(['slack', 'admins', index], 'expected a member id such as U0123456789')],
    ),
    ...checkProtocol(['api'], api, network.allowHttp).map(({ message }) => ({
      path: pathText(['slack', 'api']),
      message,
    })),
  ];
}

function findMissing(
  { signingSecret, appToken }: NonNullable<ParsedConfig['slack']>,
  hasMaster: boolean,
  mode: Mode,
): ConfigProblem[] {
  if (mode === 'embedded') {
    if (signingSecret !== undefined || appToken !== undefined) return [];
    return [{ path: 'slack', message: 'expected appToken for Socket Mode, or signingSecret for requests over HTTP' }];
  }
  return [
    ...(signingSecret === undefined
      ? [{ path: 'slack.signingSecret', message: 'expected the signing secret: in AWS Slack sends requests over HTTP' }]
      : []),
    ...(appToken === undefined
      ? []
      : [
          {
            path: 'slack.appToken',
            message:
              'expected nothing here: Socket Mode needs a process that always runs, in AWS Slack sends requests over HTTP',
          },
        ]),
    ...(hasMaster
      ? []
      : [{ path: 'slack', message: 'expected the section manage with a secret, which encrypts the tokens of people' }]),
  ];
}
