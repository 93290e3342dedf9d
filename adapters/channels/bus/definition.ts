/** EventBridge buses: each event unchanged, for the rules of the account. In AWS only. */

import { GiveUp } from '../../../core/model/errors.ts';
import { defineChannel } from '../definition.ts';
import type { BusSettings } from './settings.ts';

const EXPECTED = "expected the name of an event bus such as 'default', or its ARN";
const AWS_ONLY = 'expected another channel: an event bus is reached from AWS only';

export const busChannel = defineChannel({
  name: 'bus',
  label: 'event bus',
  summary: 'An EventBridge bus: each event unchanged, for rules of your own. In AWS only.',
  audience: 'machines',
  gathers: false,
  limits: { concurrency: 8 },
  modes: ['aws'],
  needs: [],
  // EventBridge rules can transform events.
  templateParts: {},
  secretKeys: [],
  placeholder: { name: 'default' },
  form: {
    fields: {
      name: {
        label: 'Event bus',
        hint: 'Its name, or its ARN if it belongs to another account or region.',
        example: 'default',
      },
    },
  },

  schema: ({ z }) =>
    z.strictObject({
      name: z
        .string({ error: EXPECTED })
        .regex(/^(arn:aws[\w-]*:events:[a-z0-9-]+:\d{12}:event-bus\/)?[\w./-]{1,256}$/, { error: EXPECTED })
        .prefault('default')
        .describe('The bus: its name, or its ARN when it belongs to another account or region.'),
    }),

  check: () => [],
  describeAddress: ({ name }: BusSettings) => `bus ${name}`,
  hasThreads: () => false,
  signingSecret: () => undefined,
  permissions: ({ name }) => [{ action: 'events:PutEvents', service: 'events', resource: 'event-bus', name }],
  manualChecks: ({ name }) => [
    { what: `the bus ${name} is there`, how: `aws events describe-event-bus --name ${name}${regionOption(name)}` },
  ],
  mailsPerMessage: () => 0,

  async render(message) {
    const { httpBody } = await import('../http/http-body.ts');
    return { body: JSON.parse(httpBody(message)) };
  },

  async open({ aws }) {
    if (aws === undefined) throw new GiveUp('TIDINGS_BUS_IN_AWS_ONLY', `to.bus: ${AWS_ONLY}`);
    const { busChannels } = await import('./channel.ts');
    const { channelFor } = busChannels({ settings: aws.clientSettings.bus });
    return { channelFor, close: async () => {} };
  },

  openProbe: async () => ({ probe: async () => ({ url: '', ok: false, finding: AWS_ONLY }) }),
});

/** A bus with an ARN may be in another region than the default of the command line. */
function regionOption(bus: string): string {
  const region = bus.split(':')[3];
  return region === undefined ? '' : ` --region ${region}`;
}
