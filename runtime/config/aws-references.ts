/** Checks a config against the constraints of AWS, and lists its secret references per function. Resolves no secret. */

import type { Permission } from '../../adapters/channels/definition.ts';
import { readMailbox } from '../../adapters/channels/email/mailbox.ts';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { referencesIn } from '../../core/model/reference.ts';
import { MINUTE } from '../../core/model/time.ts';
import type { Cadence } from '../../core/source/plan.ts';
import { awsReference } from './aws-reference.ts';
import type { Config } from './config.ts';
import { isSecret, type Path, pathText, problemAt } from './problems.ts';
import type { ParsedConfig } from './schema.ts';
import { SECRET } from './values.ts';

const EXPECTED = "expected 'ssm:/path' or 'secret:name': in AWS a secret stays in Parameter Store or Secrets Manager";
const SHORT_CADENCE = "expected '1m' or more: in AWS polls run once a minute";
const AWS_ONLY = 'expected ${NAME}, file:PATH or the secret: ssm: and secret: are resolved in AWS';
const NO_SMTP = 'expected nothing here: in AWS mail is sent through SES';

const NO_OTLP = "expected nothing here: in AWS traces go to X-Ray, with 'tracing: xray' in the section aws";

/** Sections that may have a key such as `token` that is not a secret of the config. */
const SECTIONS_WITHOUT_SECRETS = ['where', 'when', 'template', 'links'];

/**
 * The parts of a config that are not allowed in AWS. Shows no secret.
 *
 * @param raw the content of the file, variables not expanded
 * @param from the mail sender, variables expanded; undefined when no mail is sent
 */
export function checkForAws(raw: unknown, from?: string): ConfigProblem[] {
  const secrets = secretsOf(raw).flatMap(({ path, text }) => {
    if (path[0] === 'tracing') return [];
    if (pathText(path) === 'mail.smtp') return [{ path: 'mail.smtp', message: NO_SMTP }];
    if (awsReference(text) !== undefined) return [];
    return [{ path: pathText(path), message: `${EXPECTED}, got ${kindOf(text)}` }];
  });
  const traced = Object(raw).tracing === undefined ? [] : [{ path: 'tracing', message: NO_OTLP }];
  return [...secrets, ...traced, ...(from === undefined ? [] : checkSender(from))];
}

/**
 * Cadences shorter than the poll schedule. They have no effect, so they are warnings and not errors.
 *
 * @param raw the content of the file, variables not expanded
 */
export function findShortCadences({ source, sources = [] }: ParsedConfig, raw: unknown): ConfigProblem[] {
  const all: (readonly [Path, typeof source])[] = [
    [['source'], source],
    ...sources.map((one, index) => [['sources', index], one] as const),
  ];
  return all.flatMap(([path, one]) =>
    Object.entries(one?.resources ?? {}).flatMap(([name, cadence]) =>
      (['every', 'sweep'] as const)
        .filter((kind) => typeof cadence === 'object' && cadence[kind] < MINUTE)
        .map((kind) => problemAt(raw, [...path, 'resources', name, kind], SHORT_CADENCE)),
    ),
  );
}

/** In AWS the poller starts once a minute, so a shorter cadence has no effect. */
export function cadenceInAws({ every, sweep }: Cadence): Cadence {
  return { every: Math.max(every, MINUTE), sweep: Math.max(sweep, MINUTE) };
}

/** The parts of a config that are allowed only in AWS. */
export function checkForEmbedded(raw: unknown): ConfigProblem[] {
  return secretsOf(raw)
    .filter(({ text }) => /^(ssm|secret):/.test(text))
    .map(({ path }) => ({ path: pathText(path), message: AWS_ONLY }));
}

/** Shown once below the problems of a config with references to AWS. */
export function awsConfigHint(file: string): string {
  return `a config with ssm: or secret: references is for AWS; check it with: tidings check --for-aws --config ${file}`;
}

function secretsOf(raw: unknown): Text[] {
  return textsOf(raw).filter(
    ({ path }) => isSecret(path) && !path.some((key) => SECTIONS_WITHOUT_SECRETS.includes(String(key))),
  );
}

/** Replaces the schema's message about secrets, which describes the embedded mode. */
export function rephraseForAws({ path, message }: ConfigProblem): ConfigProblem {
  return { path, message: message.replace(SECRET, EXPECTED) };
}

/** The sender's address and domain: either may be the identity that was verified in SES. */
export function senderOf(from: string): { readonly address: string; readonly domain: string } {
  const { address } = readMailbox(from, 'mail.from');
  return { address, domain: address.slice(address.indexOf('@') + 1) };
}

function checkSender(from: string): ConfigProblem[] {
  try {
    const { address } = senderOf(from);
    // The address becomes part of an IAM policy, where these characters are wildcards or variables.
    return /[*?$]/.test(address) ? [{ path: 'mail.from', message: 'expected an address without *, ? and $' }] : [];
  } catch {
    // Reported by the check of mail.
    return [];
  }
}

/** The references that each function resolves, without duplicates. Functions not listed read no secret. */
export function referencesOf({
  sources,
  subscriptions,
  manage,
  slack,
}: Pick<Config, 'sources' | 'subscriptions' | 'manage' | 'slack'>) {
  const links = manage === undefined ? [] : [manage.secret];
  const receivers = secretsIn(subscriptions.map(({ to }) => to.settings));
  return {
    poll: unique(sources.map(({ token }) => token)),
    // Mails contain signed links.
    deliver: unique([...receivers, ...links, ...(slack === undefined ? [] : [slack.token])]),
    manage: unique([...links, ...secretsIn(slack)]),
  } as const;
}

/** All references in a part of a valid config, duplicates included. */
export function secretsIn(part: unknown): readonly string[] {
  return textsOf(part)
    .filter(({ path }) => isSecret(path))
    .map(({ text }) => text);
}

/** The permissions that the deliver function needs for these subscriptions, without duplicates. */
export function permissionsOf({ subscriptions }: Pick<Config, 'subscriptions'>): readonly Permission[] {
  const all = subscriptions.flatMap(({ to }) => channelRegistry.get(to.channel)?.permissions(to.settings) ?? []);
  return [...new Map(all.map((one) => [`${one.action} ${one.name}`, one])).values()];
}

function kindOf(text: string): string {
  if (referencesIn(text).length > 0) return 'an environment variable';
  if (text.startsWith('file:')) return 'a file';
  if (/^(ssm|secret):/.test(text)) return 'a name that AWS does not accept';
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
