/** `tidings check --for-aws`: tells what a config will do in AWS, from the checks of `cdk synth`. Asks nobody. */

import { formatDuration } from '../core/model/time.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { type AwsCheck, type AwsResource, checkForStack } from '../runtime/inspect/check-aws.ts';
import type { Context, ExitCode } from './context.ts';
import { type Terminal, table } from './terminal.ts';

const HINT = 'name another with --config, or start from examples/aws.yaml';

export function runCheckForAws(file: string, json: boolean, { terminal, environment }: Context): ExitCode {
  const found = checkForStack(file, loadConfigForAws(file, environment, { hint: HINT }));
  if (json) terminal.out(JSON.stringify(found));
  else print(file, found, terminal);
  return 0;
}

function print(file: string, found: AwsCheck, { out, paint }: Terminal): void {
  const good = paint('green', '✔');
  const { stack, alarmEmail, mailFrom, sources, subscriptions, secrets, unproven } = found;
  out(`${good}  ${paint('bold', file)} is good for AWS, as stack ${stack}; nobody was asked`);
  for (const { source, baseUrl, timeZone, resources } of sources) {
    out(`${good}  ${paint('bold', source)} at ${baseUrl}, days of ${timeZone ?? "the token's person"}`);
    for (const line of table(resources.map(sayResource))) out(`   ${line}`);
  }
  for (const { subscription, channel, events } of subscriptions) {
    out(`${good}  ${paint('bold', subscription)}: ${channel}, ${events.join(', ')}`);
  }
  if (mailFrom !== null) out(`${good}  ${paint('bold', 'mail')} from ${mailFrom}, through SES`);
  out(
    alarmEmail === null ? '-  alarms reach nobody: aws.alarmEmail is not set' : `${good}  alarms go to ${alarmEmail}`,
  );
  out('');
  out('secrets are looked for in the account and region it is deployed to');
  for (const line of table(
    secrets.map(({ reference, store, functions }) => [reference, store, `by ${functions.join(', ')}`]),
  ))
    out(`   ${line}`);
  out('');
  out('left to be proven once it is deployed');
  for (const line of table(unproven.map(({ what, how }) => [what, how]))) out(`   ${line}`);
}

function sayResource({ resource, every, sweep, slowed }: AwsResource): readonly string[] {
  return [
    resource,
    `every ${formatDuration(every)}`,
    sweep === null ? 'all of it' : `all of it every ${formatDuration(sweep)}`,
    slowed ? 'once a minute is the most in AWS' : '',
  ];
}
