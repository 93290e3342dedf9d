/** All ways to receivers in AWS: as everywhere, but mail goes through SES, and there are event buses. */

import type { Secrets } from '../core/ports/secrets.ts';
import type { Aws } from './aws.ts';
import { type Channels, openChannels } from './channels.ts';

/**
 * Most deliveries are neither mail nor for a bus: a function that starts for one of the others need not load what those
 * take. Both are opened at their first use.
 */
export function channelsOf({ config, clients }: Aws, secrets: Secrets): Channels {
  const ses = atFirstUse(async () => (await import('./aws-ses.ts')).mailOf(clients));
  const buses = atFirstUse(async () => (await import('./aws-bus.ts')).busesOf(clients));
  return openChannels({
    config,
    secrets,
    transport: {
      send: async (mail, signal) => (await ses.open()).send(mail, signal),
      close: ses.close,
    },
    bus: {
      channelFor: (target) => ({
        send: async (parcel, signal) => (await buses.open()).channelFor(target).send(parcel, signal),
      }),
      close: buses.close,
    },
  });
}

function atFirstUse<T extends { close(): Promise<void> }>(load: () => Promise<T>) {
  let loading: Promise<T> | undefined;
  return {
    open(): Promise<T> {
      loading ??= load();
      return loading;
    },
    close: async (): Promise<void> => (await loading)?.close(),
  };
}
