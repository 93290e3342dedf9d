/**
 * All ways to receivers, opened as a config asks, behind one door: which channel a target takes. Those to people are
 * loaded when the first message goes their way: a function that starts anew for a webhook need not read how mails are made.
 */

import type { BusChannels } from '../adapters/channels/bus/channel.ts';
import type { MailTransport } from '../adapters/channels/email/transport.ts';
import { httpChannels } from '../adapters/channels/http/channel.ts';
import type { HttpTransport } from '../adapters/http/http-transport.ts';
import { GiveUp, UsageError } from '../core/model/errors.ts';
import type { Subscription, Target } from '../core/model/subscription.ts';
import type { Channel } from '../core/ports/channel.ts';
import type { Secrets } from '../core/ports/secrets.ts';
import type { Config } from './config/config.ts';

export interface Channels {
  channelFor(target: Target): Channel;
  /** Lets go of idle connections. */
  close(): Promise<void>;
}

export interface ChannelsOptions {
  readonly config: Pick<Config, 'links' | 'network' | 'mail' | 'manage'>;
  readonly secrets: Secrets;
  /** Shared by all channels that post over HTTP. Closed with them. */
  readonly http: HttpTransport;
  /** What carries mail: SMTP or SES, as the mode has it. @default - nothing, and mail is given up */
  readonly transport?: MailTransport;
  /** Ways to event buses. @default - there are none outside AWS */
  readonly bus?: BusChannels;
  /** The stack in AWS that this runs in, for commands that people are told. @default - it runs elsewhere */
  readonly stack?: string;
}

export function openChannels({ config, secrets, http, transport, bus, stack }: ChannelsOptions): Channels {
  const { links, mail, manage } = config;
  const webhooks = httpChannels({ http, secrets, links });
  const slack = atFirstUse(async () => {
    const { slackChannels } = await import('../adapters/channels/slack/channel.ts');
    return slackChannels({ http, secrets, links, stack });
  });
  const email =
    mail === undefined || transport === undefined
      ? undefined
      : atFirstUse(async () => {
          const { emailChannels } = await import('../adapters/channels/email/channel.ts');
          const { url, secret } = manage ?? {};
          const unsubscribe = url === undefined || secret === undefined ? {} : { unsubscribe: { url, secret } };
          return emailChannels({ mail, transport, links, secrets, ...unsubscribe });
        });
  return {
    channelFor(target) {
      if ('http' in target) return webhooks.channelFor(target.http);
      if ('slack' in target) return slack.channelFor(target.slack);
      if ('email' in target) return email?.channelFor(target.email) ?? noMail;
      return bus?.channelFor(target.bus) ?? noBus;
    },
    close: async () => {
      await Promise.all([http.close(), email?.close()]);
    },
  };
}

interface ChannelsTo<To> {
  channelFor(target: To): Channel;
  close?(): Promise<void>;
}

/** Opens when the first parcel is sent. What could not be loaded is tried again with the next one. */
function atFirstUse<To>(load: () => Promise<ChannelsTo<To>>): Required<ChannelsTo<To>> {
  let loading: Promise<ChannelsTo<To>> | undefined;
  const open = () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    channelFor: (target) => ({
      send: async (parcel, signal) => (await open()).channelFor(target).send(parcel, signal),
    }),
    close: async () => (await loading)?.close?.(),
  };
}

/** A subscription that was added while there was a mail server, and is still there now that there is none. */
const noMail: Channel = {
  send: async () => {
    throw new GiveUp('TIDINGS_MAIL_NOT_SET_UP', 'mail: expected from and smtp in the config, got nothing');
  },
};

const BUS_CODE = 'TIDINGS_BUS_IN_AWS_ONLY';
const NO_BUS = 'expected http, slack or email here: an event bus is reached from AWS only';

/** Said at the start rather than at the first event. `place`: where the config has the subscription. */
export function refuseBuses(
  subscriptions: readonly Subscription[],
  place = (index: number) => `subscriptions[${index}].`,
): void {
  const index = subscriptions.findIndex(({ to }) => 'bus' in to);
  const found = subscriptions[index];
  if (found !== undefined)
    throw new UsageError(BUS_CODE, `${place(index)}to.bus: ${NO_BUS} (subscription '${found.name}')`);
}

/** For what came into the ledger in another way. */
const noBus: Channel = {
  send: async () => {
    throw new GiveUp(BUS_CODE, `to.bus: ${NO_BUS}`);
  },
};
