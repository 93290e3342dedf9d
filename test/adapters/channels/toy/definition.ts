/** A channel for tests that keeps its messages in memory. This folder contains everything a new channel needs. */

import { defineChannel } from '../../../../adapters/channels/definition.ts';

export interface ToySettings {
  readonly box: string;
  readonly apiKey: string;
}

/** The sent messages, with the secret that was used. */
export const sent: { readonly box: string; readonly key: string; readonly types: readonly string[] }[] = [];

export const toyChannel = defineChannel({
  name: 'toy',
  label: 'Toy box',
  summary: 'A box of toys.',
  audience: 'people',
  gathers: true,
  limits: { concurrency: 3, rate: { count: 2, per: 60_000 } },
  modes: ['embedded', 'aws'],
  needs: [],
  templateParts: {
    label: { form: 'line', summary: 'the label of the box', escaping: 'plain', separator: ', ', maxLength: 20 },
    text: {
      form: 'text',
      summary: 'the message',
      escaping: { name: 'toy', escapeText: (text) => text.replaceAll('*', '\\*') },
      separator: '\n',
    },
  },
  secretKeys: ['apiKey'],
  placeholder: { box: 'box', apiKey: 'file:secret' },
  form: { fields: { box: { label: 'Box' }, apiKey: { label: 'Key of the box' } } },
  schema: ({ z, text, secret }) =>
    z.strictObject({
      box: text('expected the name of a box').describe('The box.'),
      apiKey: secret.describe('The key of the box. A secret.'),
    }),
  check: ({ box }) => (box === 'shut' ? [{ path: ['box'], message: 'expected an open box', showsValue: true }] : []),
  describeAddress: ({ box }: ToySettings) => `toy box ${box}`,
  hasThreads: () => false,
  signingSecret: () => undefined,
  permissions: ({ box }) => [{ action: 'toys:Put', service: 'toys', resource: 'box', name: box }],
  manualChecks: ({ box }) => [{ what: `the box ${box} is there`, how: 'look' }],
  mailsPerMessage: () => 0,
  render: async ({ events }, { box }, { byTemplate, texts }) => ({
    ...(byTemplate.includes('text') ? {} : { text: `${box}: ${events[0].type}` }),
    payload: { box, label: texts.label ?? 'no label' },
  }),
  open: async ({ secrets }) => ({
    channelFor: ({ box, apiKey }) => ({
      async send({ events }) {
        sent.push({ box, key: await secrets.resolve(apiKey), types: events.map(({ type }) => type) });
        return { status: 200 };
      },
    }),
    close: async () => {},
  }),
  openProbe: async ({ secrets }) => ({
    async probe({ box, apiKey }) {
      await secrets.resolve(apiKey);
      return { ok: true, finding: `${box} is open`, url: `toy:${box}` };
    },
  }),
});
