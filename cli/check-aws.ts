/** `tidings check --for-aws`: validates a config for AWS with the checks of `cdk synth`. Makes no requests. */

import { formatDuration } from '../core/model/time.ts';
import { loadConfigForAws } from '../runtime/config/load.ts';
import { type AwsCheck, type AwsResource, checkForStack } from '../runtime/inspect/check-aws.ts';
import { type Terminal, table } from '../runtime/terminal/terminal.ts';
import type { Context, ExitCode } from './context.ts';
import { printWarnings } from './print-warnings.ts';

const HINT = 'name another config with --config, or start from examples/aws.yaml';

export function runCheckForAws(file: string, json: boolean, { terminal, environment }: Context): ExitCode {
  const loaded = loadConfigForAws(file, environment, { hint: HINT });
  const check = checkForStack(file, loaded);
  const { ineffective: warnings } = loaded;
  if (json) terminal.out(JSON.stringify({ ...check, warnings }));
  else if (warnings.length > 0) printWarnings(file, warnings, terminal);
  else print(file, check, terminal);
  return warnings.length > 0 ? 1 : 0;
}

function print(file: string, found: AwsCheck, { out, paint }: Terminal): void {
  const good = paint('green', '✔');
  const { stack, alarmEmail, mailFrom, sources, subscriptions, secrets, unproven } = found;
  out(`${good}  ${paint('bold', file)} is valid for AWS as stack ${stack} (no requests made)`);
  for (const { source, baseUrl, timeZone, resources } of sources) {
    out(`${good}  ${paint('bold', source)} at ${baseUrl}, time zone ${timeZone ?? "of the token's user"}`);
    for (const line of table(resources.map(formatResource))) out(`   ${line}`);
  }
  for (const { subscription, channel, events } of subscriptions) {
    out(`${good}  ${paint('bold', subscription)}: ${channel}, ${events.join(', ')}`);
  }
  if (mailFrom !== null) out(`${good}  ${paint('bold', 'mail')} from ${mailFrom}, through SES`);
  out(
    alarmEmail === null
      ? '-  alarms are sent to no one: aws.alarmEmail is not set'
      : `${good}  alarms are sent to ${alarmEmail}`,
  );
  out('');
  out('secrets that must exist in the account and region of the deployment');
  for (const line of table(
    secrets.map(({ reference, store, functions }) => [reference, store, `used by ${functions.join(', ')}`]),
  ))
    out(`   ${line}`);
  out('');
  out('to check after the deployment');
  for (const line of table(unproven.map(({ what, how }) => [what, how]))) out(`   ${line}`);
}

function formatResource({ resource, every, sweep, slowed }: AwsResource): readonly string[] {
  return [
    resource,
    `every ${formatDuration(every)}`,
    sweep === null ? 'full sweep' : `full sweep every ${formatDuration(sweep)}`,
    slowed ? 'limited to once a minute in AWS' : '',
  ];
}
