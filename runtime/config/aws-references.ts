/** What AWS asks of a config: says which references to secrets it holds, and what of it cannot be there. Resolves nothing. */

import type { Permission } from '../../adapters/channels/definition.ts';
import { readMailbox } from '../../adapters/channels/email/compose-mail.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { MINUTE } from '../../core/model/time.ts';
import type { Cadence } from '../../core/source/plan.ts';
import { awsReference } from './aws-reference.ts';
import type { Config } from './config.ts';
import { isSecret, type Path, pathText, problemAt } from './problems.ts';
import type { ParsedConfig } from './schema.ts';
import { SECRET } from './values.ts';

const EXPECTED = "expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager";
const EACH_MINUTE = "expected '1m' or more, for in AWS it is looked at once a minute";
const ONLY_THERE = 'expected ${NAME}, file:PATH or the secret: ssm: and secret: are resolved in AWS';
const NO_SMTP = 'expected nothing here: in AWS mail goes out through SES';

/** Content that may well have a key named `token` without being a secret of ours. */
const NO_SECRETS_IN = ['where', 'when', 'template', 'links'];

/**
 * What of a config, as its file has it, cannot be in AWS. No secret is shown.
 *
 * @param from the sender of mail with the environment in place, if mail is sent at all
 */
export function checkForAws(raw: unknown, from?: string): ConfigProblem[] {
  const secrets = secretsOf(raw).flatMap(({ path, text }) => {
    if (pathText(path) === 'mail.smtp') return [{ path: 'mail.smtp', message: NO_SMTP }];
    if (awsReference(text) !== undefined) return [];
    return [{ path: pathText(path), message: `${EXPECTED}, got ${kindOf(text)}` }];
  });
  return [...secrets, ...(from === undefined ? [] : checkSender(from))];
}

/**
 * Cadences that are shorter than poll runs: harmless but without effect, so they are warnings and not errors.
 *
 * @param raw as the file has it
 */
export function tooOftenForAws({ source, sources = [] }: ParsedConfig, raw: unknown): ConfigProblem[] {
  const all: (readonly [Path, typeof source])[] = [
    [['source'], source],
    ...sources.map((one, index) => [['sources', index], one] as const),
  ];
  return all.flatMap(([path, one]) =>
    Object.entries(one?.resources ?? {}).flatMap(([name, cadence]) =>
      (['every', 'sweep'] as const)
        .filter((kind) => typeof cadence === 'object' && cadence[kind] < MINUTE)
        .map((kind) => problemAt(raw, [...path, 'resources', name, kind], EACH_MINUTE)),
    ),
  );
}

/** In AWS the poller starts once a minute, so a shorter cadence has no effect. */
export function cadenceInAws({ every, sweep }: Cadence): Cadence {
  return { every: Math.max(every, MINUTE), sweep: Math.max(sweep, MINUTE) };
}

/** What of a config, as its file has it, can be in AWS alone. */
export function checkForHere(raw: unknown): ConfigProblem[] {
  return secretsOf(raw)
    .filter(({ text }) => /^(ssm|secret):/.test(text))
    .map(({ path }) => ({ path: pathText(path), message: ONLY_THERE }));
}

/** Shown once with the problems of such a config. */
export function hintOfAws(file: string): string {
  return `a config with ssm: or secret: references is one for AWS, and checked with: tidings check --for-aws --config ${file}`;
}

function secretsOf(raw: unknown): Text[] {
  return textsOf(raw).filter(({ path }) => isSecret(path) && !path.some((key) => NO_SECRETS_IN.includes(String(key))));
}

/** What the schema says of a secret is for this machine. */
export function inWordsOfAws({ path, message }: ConfigProblem): ConfigProblem {
  return { path, message: message.replace(SECRET, EXPECTED) };
}

/** The sender as SES knows it: one of the two is the identity that was verified there. */
export function senderOf(from: string): { readonly address: string; readonly domain: string } {
  const { address } = readMailbox(from, 'mail.from');
  return { address, domain: address.slice(address.indexOf('@') + 1) };
}

function checkSender(from: string): ConfigProblem[] {
  try {
    const { address } = senderOf(from);
    // The function that delivers may send as this one: in IAM's language these would be many.
    return /[*?$]/.test(address) ? [{ path: 'mail.from', message: 'expected an address without *, ? and $' }] : [];
  } catch {
    // Reported by the check of mail.
    return [];
  }
}

/** The references each function has to resolve, each once. Those that are not named here read no secret. */
export function referencesOf({ sources, subscriptions, manage }: Config) {
  const links = manage === undefined ? [] : [manage.secret];
  const receivers = secretsIn(subscriptions.map(({ to }) => to.settings));
  return {
    poll: unique(sources.map(({ token }) => token)),
    // Mails carry links that are signed.
    deliver: unique([...receivers, ...links]),
    manage: links,
  } as const;
}

/** The references in a part of a config that was found good, as often as they stand there. */
export function secretsIn(part: unknown): readonly string[] {
  return textsOf(part)
    .filter(({ path }) => isSecret(path))
    .map(({ text }) => text);
}

/** What the function that delivers must be allowed to do for these subscriptions, each permission once. */
export function permissionsOf({ subscriptions }: Pick<Config, 'subscriptions'>): readonly Permission[] {
  const all = subscriptions.flatMap(({ to }) => channelRegistry.get(to.channel)?.permissions(to.settings) ?? []);
  return [...new Map(all.map((one) => [`${one.action} ${one.name}`, one])).values()];
}

function kindOf(text: string): string {
  if (/\$\{[^}]*\}/.test(text)) return 'a variable of the environment';
  if (text.startsWith('file:')) return 'a file';
  if (/^(ssm|secret):/.test(text)) return 'a name that cannot be one there';
  return 'a value that is not shown here';
}

interface Text {
  readonly path: Path;
  readonly text: string;
}

function textsOf(value: unknown, path: Path = []): Text[] {
  if (typeof value === 'string') return [{ path, text: value }];
  if (Array.isArray(value)) return value.flatMap((item, index) => textsOf(item, [...path, index]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, [...path, key]));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
