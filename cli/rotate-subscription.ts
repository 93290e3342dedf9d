/** `tidings subscriptions rotate`: another signing secret, without a receiver missing a beat. */

import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { signingSecretOf } from '../adapters/channels/registry.ts';
import { signingKey } from '../core/delivery/sign.ts';
import { UsageError } from '../core/model/errors.ts';
import { ROTATION_OVERLAP } from '../core/model/subscription.ts';
import { plus } from '../core/model/time.ts';
import { rotateSecret } from '../core/subscriptions/rotate.ts';
import { type DataLocation, withStores } from '../runtime/inspect/open-stores.ts';
import type { Context, ExitCode } from './context.ts';
import { findSubscription } from './find-subscription.ts';
import { awsOption, dataOption } from './options.ts';

interface RotateFlags extends DataLocation {
  readonly secret?: string;
}

export function rotateCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  group
    .command('rotate')
    .summary('change the signing secret; the old one signs too for a day')
    .description(
      'Makes a new signing secret, keeps it in a file of the data directory, or with --aws in Parameter Store, and\n' +
        'prints it once, for the receiver. For 24 hours every request carries two signatures, so that the receiver can\n' +
        'change over at any time.',
    )
    .argument('<name>', 'the subscription')
    .option(
      '--secret <reference>',
      'take this one: ${NAME} or file:PATH, with --aws ssm:/path or secret:name (default: a new one is made)',
    )
    .addOption(dataOption())
    .addOption(awsOption())
    .action(async (name: string, flags: RotateFlags) => {
      await rotate(name, flags, context);
      exit(0);
    });
}

async function rotate(name: string, { secret, ...place }: RotateFlags, context: Context): Promise<void> {
  const { terminal, clock } = context;
  await withStores(place, context, async ({ subscriptions, secrets }) => {
    const subscription = await findSubscription(subscriptions, name);
    if (signingSecretOf(subscription) === undefined) {
      throw new UsageError(
        'TIDINGS_SUBSCRIPTION_UNSIGNED',
        `subscription '${name}': expected one to http, others are not signed`,
      );
    }
    const made = `whsec_${randomBytes(32).toString('base64')}`;
    if (secret !== undefined) signingKey(await secrets.resolve(secret));
    const reference = secret ?? (await secrets.keep(name, made));
    const now = clock.now();
    // On what is there by now: a deployment may have changed the rest of it since it was looked at.
    const isChanged = await subscriptions.update(name, (kept) => {
      const configured = signingSecretOf(kept);
      return configured === undefined ? kept : rotateSecret(kept, configured, reference, now);
    });
    // Removed meanwhile: then this says so.
    if (!isChanged) await findSubscription(subscriptions, name);
    if (secret === undefined) terminal.out(`new secret     ${made}`);
    terminal.out(`kept at        ${reference}`);
    if (secret !== undefined && place.aws !== undefined) {
      terminal.out('               which deliver may read only where the config or moreSecrets of the stack names it');
    }
    terminal.out(
      `both sign until ${plus(now, ROTATION_OVERLAP).slice(0, 16).replace('T', ' ')} UTC: give the new one to the receiver by then`,
    );
  });
}
