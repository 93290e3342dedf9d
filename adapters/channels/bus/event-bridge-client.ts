/** The part of the EventBridge SDK that we use, loaded at first use. A module of its own so that the bundler drops the other operations. */

import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type AwsClientSettings, FAST_REQUEST_HANDLER } from '../../aws/client-settings.ts';

export { PutEventsCommand };

export const openEventBridgeClient = (settings?: AwsClientSettings) =>
  new EventBridgeClient({ ...settings, requestHandler: FAST_REQUEST_HANDLER });
