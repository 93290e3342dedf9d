/**
 * Describes what a config that is valid for AWS will do there, and what can only be verified after the deployment.
 * Makes no requests: not to AWS, not to the API, not to a receiver.
 */

import { channelRegistry } from '../../adapters/channels/registry.ts';
import type { Subscription } from '../../core/model/subscription.ts';
import type { Duration } from '../../core/model/time.ts';
import { lightKind } from '../../core/source/plan.ts';
import { awsReference } from '../config/aws-reference.ts';
import { cadenceInAws, referencesOf, secretsIn, senderOf } from '../config/aws-references.ts';
import type { Config, SourceConfig } from '../config/config.ts';
import type { AwsConfig } from '../config/load.ts';

export interface AwsResource {
  readonly resource: string;
  readonly every: Duration;
  /** null when every scan reads all records anyway. */
  readonly sweep: Duration | null;
  /** Whether the config asks for more than one scan a minute, the maximum in AWS. */
  readonly slowed: boolean;
}

interface AwsSource {
  readonly source: string;
  readonly baseUrl: string;
  /** null: the zone of the token's user applies. */
  readonly timeZone: string | null;
  readonly token: string;
  readonly resources: readonly AwsResource[];
}

interface AwsSubscription {
  readonly subscription: string;
  readonly channel: string;
  readonly events: readonly string[];
  /** References, as written in the config. */
  readonly secrets: readonly string[];
}

type Role = keyof ReturnType<typeof referencesOf>;

interface AwsSecret {
  readonly reference: string;
  readonly store: 'Parameter Store' | 'Secrets Manager';
  /** The functions that will read it. */
  readonly functions: readonly Role[];
}

interface Unproven {
  readonly what: string;
  /** How to verify it: usually a command. */
  readonly how: string;
}

export interface AwsCheck {
  readonly stack: string;
  /** null when alarms notify no one. */
  readonly alarmEmail: string | null;
  /** null when no mail is sent. */
  readonly mailFrom: string | null;
  readonly sources: readonly AwsSource[];
  readonly subscriptions: readonly AwsSubscription[];
  readonly secrets: readonly AwsSecret[];
  readonly unproven: readonly Unproven[];
}

/** @param file path of the config file, for the suggested commands */
export function checkForStack(file: string, { config, aws }: Pick<AwsConfig, 'config' | 'aws'>): AwsCheck {
  const stack = aws.name ?? 'Tidings';
  return {
    stack,
    alarmEmail: aws.alarmEmail ?? null,
    mailFrom: config.mail?.from ?? null,
    sources: config.sources.map(describeSource),
    subscriptions: config.subscriptions.map(({ name, to, events }) => ({
      subscription: name,
      channel: to.channel,
      events,
      secrets: secretsIn(to.settings),
    })),
    secrets: listSecrets(config),
    unproven: [
      {
        what: 'the token exists and is valid, and what it may read',
        how: `tidings status --aws ${stack} --config ${file}`,
      },
      {
        what: 'the sources that were added to the stack',
        how: `tidings sources --aws ${stack} --config ${file}`,
      },
      ...config.subscriptions.map((subscription) => receiverCheck(subscription, stack)),
      ...accountChecks(config, aws.alarmEmail),
    ],
  };
}

function describeSource({ name, baseUrl, timeZone, token, resources }: SourceConfig): AwsSource {
  return {
    source: name,
    baseUrl,
    timeZone: timeZone ?? null,
    token,
    resources: resources.map(({ resource, cadence }) => {
      const { every, sweep } = cadenceInAws(cadence);
      const isSwept = lightKind(resource) === 'sweep';
      const slowed = every > cadence.every || (!isSwept && sweep > cadence.sweep);
      return { resource: resource.name, every, sweep: isSwept ? null : sweep, slowed };
    }),
  };
}

function listSecrets(config: Config): readonly AwsSecret[] {
  const byRole = Object.entries(referencesOf(config)) as readonly (readonly [Role, readonly string[]])[];
  const all = new Set(byRole.flatMap(([, references]) => references));
  return [...all].map((reference) => ({
    reference,
    store: awsReference(reference)?.store === 'ssm' ? 'Parameter Store' : 'Secrets Manager',
    functions: byRole.filter(([, references]) => references.includes(reference)).map(([role]) => role),
  }));
}

function receiverCheck({ name, to }: Subscription, stack: string): Unproven {
  const secrets = secretsIn(to.settings).length === 0 ? '' : 'its secrets exist, and ';
  return {
    what: `${name}: ${secrets}the receiver accepts messages`,
    how: `tidings subscriptions test ${name} --aws ${stack}`,
  };
}

const uniqueChecks = (checks: readonly Unproven[]) => [...new Map(checks.map((one) => [one.what, one])).values()];

function accountChecks(config: Config, alarmEmail: string | undefined): readonly Unproven[] {
  const { mail } = config;
  return [
    ...(mail === undefined
      ? []
      : [{ what: `SES allows ${senderOf(mail.from).address} to send`, how: identityCommand(mail.from) }]),
    ...uniqueChecks(
      config.subscriptions.flatMap(({ to }) => channelRegistry.get(to.channel)?.manualChecks(to.settings) ?? []),
    ),
    ...(alarmEmail === undefined
      ? []
      : [{ what: `${alarmEmail} has confirmed the alarm subscription`, how: 'follow the link in the mail from AWS' }]),
  ];
}

function identityCommand(from: string): string {
  const { address, domain } = senderOf(from);
  return `aws sesv2 get-email-identity --email-identity ${domain} (or ${address})`;
}
