/** The EventBridge SDK, imported at first use. A separate module, so that the bundler drops unused operations. */

import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../../aws/client-settings.ts';

export { PutEventsCommand };

export const openEventBridgeClient = (settings?: AwsClientSettings) =>
  new EventBridgeClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
