/** `tidings subscriptions rotate`: replaces the signing secret without interrupting deliveries. */

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { isLiteralSecret } from '../adapters/secrets/local-secrets.ts';
import { newSigningSecret, signingKey } from '../core/delivery/signing/sign.ts';
import { UsageError } from '../core/model/errors.ts';
import type { Instant } from '../core/model/time.ts';
import { type RotateResult, rotateSubscription } from '../core/subscriptions/rotate.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { operatorOf, verbPorts } from './operator.ts';
import { awsOption, dataOption } from './options.ts';
import { apiOption, keyOption, type Place, rejectWithApi, withPlace } from './place.ts';

interface RotateFlags extends Place {
  readonly secret?: string;
}

export function rotateCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  group
    .command('rotate')
    .summary('replace the signing secret; the old one stays valid for 24 hours')
    .description(
      'Generates a new signing secret, stores it in the data directory (with --aws: in Parameter Store) and prints it\n' +
        'once, for the receiver. For 24 hours every request carries both signatures, so the receiver can switch at any time.',
    )
    .argument('<name>', 'the subscription')
    .option(
      '--secret <reference>',
      'use this secret: ${NAME} or file:PATH, with --aws ssm:/path or secret:name (default: generate one)',
    )
    .addOption(dataOption())
    .addOption(awsOption())
    .addOption(apiOption())
    .addOption(keyOption())
    .action(async (name: string, flags: RotateFlags) => {
      await rotate(name, flags, context);
      exit(0);
    });
}

async function rotate(name: string, { secret, ...place }: RotateFlags, context: Context): Promise<void> {
  const { terminal } = context;
  if (secret !== undefined) rejectWithApi(place, '--secret');
  await withPlace(place, context, async (stores) => {
    const { subscriptions, client } = stores;
    await findSubscription(subscriptions, name);
    if (client !== undefined) {
      const made = await client.rotateSubscription(name);
      terminal.out(`new secret     ${made.secret}`);
      terminal.out(sayOverlap(made.bothUntil));
      return;
    }
    const { secrets } = stores;
    const made = newSigningSecret(randomBytes(32));
    if (secret !== undefined) signingKey(await secrets.resolve(secret));
    const keep = async () => {
      const given = secret !== undefined && isLiteralSecret(secret) ? secrets.keepLiteral?.(secret) : secret;
      return given ?? secrets.keep(name, made);
    };
    const result = await rotateSubscription(verbPorts(stores, context), operatorOf(context), name, keep);
    if (result.kind !== 'rotated') throw rotationError(name, result.kind);
    const { secret: reference, until } = result;
    if (secret === undefined) terminal.out(`new secret     ${made}`);
    terminal.out(`stored at      ${reference}`);
    if (secret !== undefined && place.aws !== undefined) {
      terminal.out('               deliver can read it only if the config or moreSecrets of the stack lists it');
    }
    terminal.out(sayOverlap(until));
  });
}

function rotationError(name: string, kind: Exclude<RotateResult['kind'], 'rotated'>): UsageError {
  switch (kind) {
    case 'missing':
      return new UsageError('TIDINGS_SUBSCRIPTION_UNKNOWN', `subscription '${name}' was removed in the meantime`);
    case 'changed':
      return new UsageError('TIDINGS_API_CHANGED', `the secret of '${name}' was changed in the meantime; try again`);
    case 'unsigned':
      return new UsageError(
        'TIDINGS_SUBSCRIPTION_UNSIGNED',
        `subscription '${name}' has no signing secret: only subscriptions with to.http are signed`,
      );
  }
}

const sayOverlap = (until: Instant) =>
  `both secrets sign until ${until.slice(0, 16).replace('T', ' ')} UTC; give the receiver the new one by then`;
