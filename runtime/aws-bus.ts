/** Event buses, in a file of their own: only a function that puts events on one loads it. */

import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { type BusChannels, busChannels } from '../adapters/event-bus/channel.ts';
import type { Aws } from './aws.ts';

export function busesOf({ eventBridge = new EventBridgeClient({}) }: Aws['clients']): BusChannels {
  return busChannels({ client: eventBridge });
}
