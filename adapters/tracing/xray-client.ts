/** The X-Ray SDK, imported at first use. A separate module, so that the bundler drops unused operations. */

import { PutTraceSegmentsCommand, XRayClient } from '@aws-sdk/client-xray';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../aws/client-settings.ts';

export { PutTraceSegmentsCommand };

export const openXrayClient = (settings: AwsClientSettings) =>
  new XRayClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
