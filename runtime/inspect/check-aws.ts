/**
 * What a config that is good for AWS will do there, and what nobody can say before it is deployed. Asks nobody: neither
 * AWS nor the API nor a receiver.
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
  /** null where each look reads everything anyway. */
  readonly sweep: Duration | null;
  /** Whether the config asks for more than once a minute, which is the most in AWS. */
  readonly slowed: boolean;
}

export interface AwsSource {
  readonly source: string;
  readonly baseUrl: string;
  /** null where that of the token's person counts. */
  readonly timeZone: string | null;
  readonly token: string;
  readonly resources: readonly AwsResource[];
}

export interface AwsSubscription {
  readonly subscription: string;
  readonly channel: string;
  readonly events: readonly string[];
  /** References, as the config has them. */
  readonly secrets: readonly string[];
}

type Role = keyof ReturnType<typeof referencesOf>;

export interface AwsSecret {
  readonly reference: string;
  readonly store: 'Parameter Store' | 'Secrets Manager';
  /** The functions that will ask for it. */
  readonly functions: readonly Role[];
}

export interface Unproven {
  readonly what: string;
  /** What proves it: mostly a command. */
  readonly how: string;
}

export interface AwsCheck {
  readonly stack: string;
  /** null where nobody is told of alarms. */
  readonly alarmEmail: string | null;
  /** null where no mail is sent. */
  readonly mailFrom: string | null;
  readonly sources: readonly AwsSource[];
  readonly subscriptions: readonly AwsSubscription[];
  readonly secrets: readonly AwsSecret[];
  readonly unproven: readonly Unproven[];
}

/** @param file of the config, which some of the commands have to be told */
export function checkForStack(file: string, { config, aws }: Pick<AwsConfig, 'config' | 'aws'>): AwsCheck {
  const stack = aws.name ?? 'Tidings';
  return {
    stack,
    alarmEmail: aws.alarmEmail ?? null,
    mailFrom: config.mail?.from ?? null,
    sources: config.sources.map(sourceOf),
    subscriptions: config.subscriptions.map(({ name, to, events }) => ({
      subscription: name,
      channel: to.channel,
      events,
      secrets: secretsIn(to.settings),
    })),
    secrets: secretsOf(config),
    unproven: [
      {
        what: 'the token is there and good, and what it may read',
        how: `tidings status --aws ${stack} --config ${file}`,
      },
      ...config.subscriptions.map((subscription) => ofReceiver(subscription, stack)),
      ...ofAccount(config, aws.alarmEmail),
    ],
  };
}

function sourceOf({ name, baseUrl, timeZone, token, resources }: SourceConfig): AwsSource {
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

function secretsOf(config: Config): readonly AwsSecret[] {
  const wanted = Object.entries(referencesOf(config)) as readonly (readonly [Role, readonly string[]])[];
  const all = new Set(wanted.flatMap(([, references]) => references));
  return [...all].map((reference) => ({
    reference,
    store: awsReference(reference)?.store === 'ssm' ? 'Parameter Store' : 'Secrets Manager',
    functions: wanted.filter(([, references]) => references.includes(reference)).map(([role]) => role),
  }));
}

function ofReceiver({ name, to }: Subscription, stack: string): Unproven {
  const secrets = secretsIn(to.settings).length === 0 ? '' : 'its secrets are there, and ';
  return { what: `${name}: ${secrets}it takes what it gets`, how: `tidings subscriptions test ${name} --aws ${stack}` };
}

const eachOnce = (checks: readonly Unproven[]) => [...new Map(checks.map((one) => [one.what, one])).values()];

function ofAccount(config: Config, alarmEmail: string | undefined): readonly Unproven[] {
  const { mail } = config;
  return [
    ...(mail === undefined
      ? []
      : [{ what: `SES lets ${senderOf(mail.from).address} send`, how: identityOf(mail.from) }]),
    ...eachOnce(
      config.subscriptions.flatMap(({ to }) => channelRegistry.get(to.channel)?.manualChecks(to.settings) ?? []),
    ),
    ...(alarmEmail === undefined
      ? []
      : [{ what: `${alarmEmail} has confirmed to be told of alarms`, how: "the link in AWS's mail to it" }]),
  ];
}

function identityOf(from: string): string {
  const { address, domain } = senderOf(from);
  return `aws sesv2 get-email-identity --email-identity ${domain} (or ${address})`;
}
