/**
 * Checks what mail and the section `manage` need: a sender, and a secret for links that is long enough. The embedded mode checks for a mail
 * server when it opens the channel; AWS needs none.
 */

import { readMailbox } from '../../adapters/channels/email/mailbox.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import type { Mode } from '../../core/model/mode.ts';
import type { Environment } from './config.ts';
import { knownSecret } from './known-secret.ts';
import { problemAt } from './problems.ts';
import type { ParsedConfig } from './schema.ts';
import { URL_TEXT } from './values.ts';

type MailParts = Pick<ParsedConfig, 'mail' | 'manage' | 'subscriptions'>;

/** Links are signed with HMAC: a shorter secret could be guessed. */
const MIN_SECRET_LENGTH = 16;

export function checkMail(
  config: MailParts,
  raw: unknown,
  environment: Environment,
  mode: Mode = 'embedded',
): ConfigProblem[] {
  return [
    ...checkMailSection(config, mode),
    ...checkSender(config, raw),
    ...checkManageUrl(config, raw, mode),
    ...checkManageSecret(config, raw, environment),
    ...checkApi(config, raw, mode),
  ];
}

/** In AWS the stack's API provides the URL; elsewhere the config must have it. */
function checkManageUrl({ manage }: MailParts, raw: unknown, mode: Mode): ConfigProblem[] {
  if (mode === 'aws' || manage === undefined || manage.url !== undefined) return [];
  return [problemAt(raw, ['manage', 'url'], URL_TEXT)];
}

function checkMailSection({ mail, subscriptions }: MailParts, mode: Mode): ConfigProblem[] {
  // Identified by index, because its name may be invalid.
  const index = subscriptions.findIndex(({ to }) => channelRegistry.get(to.channel)?.needs.includes('mail'));
  if (index === -1 || mail !== undefined) return [];
  const keys = mode === 'aws' ? 'from' : 'from and smtp';
  return [{ path: 'mail', message: `expected ${keys}, because subscriptions[${index}] sends mail, got nothing` }];
}

function checkSender({ mail }: MailParts, raw: unknown): ConfigProblem[] {
  // Unset variables are reported elsewhere.
  if (mail === undefined || mail.from.includes('${') || isMailbox(mail.from)) return [];
  return [problemAt(raw, ['mail', 'from'], "expected a sender such as 'Tidings <tidings@example.com>'")];
}

function isMailbox(text: string): boolean {
  try {
    readMailbox(text, '');
    return true;
  } catch {
    return false;
  }
}

function checkManageSecret({ manage }: MailParts, raw: unknown, environment: Environment): ConfigProblem[] {
  const secret = manage === undefined ? undefined : knownSecret(manage.secret, environment);
  if (secret === undefined || secret.length >= MIN_SECRET_LENGTH) return [];
  return [problemAt(raw, ['manage', 'secret'], `expected at least ${MIN_SECRET_LENGTH} characters`)];
}

function checkApi({ manage }: MailParts, raw: unknown, mode: Mode): ConfigProblem[] {
  const isIam = typeof manage?.api === 'object' && manage.api.auth === 'iam';
  return isIam && mode !== 'aws' ? [problemAt(raw, ['manage', 'api', 'auth'], 'expected keys: iam is for AWS')] : [];
}
