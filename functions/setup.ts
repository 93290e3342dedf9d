/** At each deployment: makes the declared subscriptions those of the config. Harmless to repeat. */

import { applyDeclared } from '../runtime/apply-declared.ts';
import { type AwsOptions, openAws, opened } from '../runtime/aws.ts';
import { lambda } from '../runtime/aws-lambda.ts';
import { ledgerOf } from '../runtime/aws-ledger.ts';

/** As much as we read of what CloudFormation asks; whoever else calls sends nothing. */
interface SetupEvent {
  readonly RequestType?: 'Create' | 'Update' | 'Delete';
}

export function createSetup(options?: AwsOptions) {
  const open = opened(() => {
    const aws = openAws(options);
    return { ...aws, ledger: ledgerOf(aws) };
  });
  return lambda('setup', async (event: SetupEvent | null, { log }) => {
    const PhysicalResourceId = 'subscriptions';
    // When the stack goes its tables may stay: what is to be kept is for a person to decide.
    if (event?.RequestType === 'Delete') return { PhysicalResourceId };
    const { config, ledger, clock } = open();
    const { added, changed, removed } = await applyDeclared(config, ledger, clock.now());
    log.info('applied the declared subscriptions', { added, changed, removed });
    return { PhysicalResourceId, Data: { added: added.length, changed: changed.length, removed: removed.length } };
  });
}

export const handler = createSetup();
