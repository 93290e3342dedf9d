/** Finds out who the user of the command line is in AWS, for the audit trail. */

import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { AwsError, callAws } from '../../adapters/aws/call.ts';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../../adapters/aws/client-settings.ts';
import { RetryLater } from '../../core/model/errors.ts';
import { SECOND } from '../../core/model/time.ts';

const TIMEOUT = 15 * SECOND;

/** The ARN of the user or the assumed role. Every identity may ask for its own. */
export async function findCallerArn(settings: AwsClientSettings): Promise<string> {
  const sts = new STSClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
  try {
    const { Arn } = await callAws(sts, (options) => sts.send(new GetCallerIdentityCommand({}), options), {
      timeout: TIMEOUT,
    });
    if (Arn !== undefined) return Arn;
    throw new RetryLater('TIDINGS_AWS_UNREACHABLE', '--aws: STS returned no identity');
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    throw new RetryLater(
      'TIDINGS_AWS_UNREACHABLE',
      `--aws: your identity could not be read from STS: ${error.message}`,
    );
  } finally {
    sts.destroy();
  }
}
