/**
 * The part of the SSM SDK that we use. A module of its own, loaded at first use, so that the bundler drops the other
 * operations: it cannot do so for a package that is imported dynamically.
 */

import { GetParameterCommand, PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../aws/client-settings.ts';

export { GetParameterCommand, PutParameterCommand };

export const openSsmClient = (settings?: AwsClientSettings) =>
  new SSMClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
