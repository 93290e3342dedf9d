/** Mail of the deliver function: with the configuration set of the stack, and links to its API unless the config has a URL. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { SendEmailCommandInput } from '@aws-sdk/client-sesv2';
import type { SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CONFIG, CONFIGURATION_SET, MANAGE_URL } from '../../runtime/aws/environment.ts';
import { delivery, event } from '../samples.ts';
import { captureOutput } from './lambda-call.ts';
import { openFunctions, startWorld, type World } from './world.ts';

const CONFIGURED = 'https://tidings.example.com';
const OWN = 'https://abc123.execute-api.eu-central-1.amazonaws.com';

let world: World;
const sent: SendEmailCommandInput[] = [];
const server = createServer(async (request, response) => {
  sent.push((await json(request)) as SendEmailCommandInput);
  response.setHeader('content-type', 'application/json');
  response.end('{"MessageId":"ses-1"}');
});

beforeEach(async () => {
  sent.length = 0;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  world = await startWorld({
    config: {
      mail: { from: 'Tidings <tidings@example.com>' },
      manage: { url: CONFIGURED, secret: '${OPS}' },
      subscriptions: [{ name: 'team', events: ['task.*'], to: { email: { to: ['ann@example.com'] } } }],
    },
  });
  captureOutput();
  await world.functions.setup();
});

afterEach(async () => {
  vi.restoreAllMocks();
  await world.stop();
  await new Promise((closed) => {
    server.close(closed);
    server.closeAllConnections();
  });
});

/** Delivers one mail with additional environment variables. Without `url` the config has no base URL for links. */
async function mailWith(more: Readonly<Record<string, string>>, { url = true } = {}) {
  const text = world.options.environment?.[CONFIG] ?? '';
  const config = url ? text : text.replace(`"url":"${CONFIGURED}",`, '');
  expect(config.includes(CONFIGURED)).toBe(url);
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { clientSettings } = world.options;
  const { deliver } = openFunctions({
    ...world.options,
    clientSettings: { ...clientSettings, mail: { ...clientSettings?.secrets, endpoint } },
    environment: { ...world.options.environment, [CONFIG]: config, ...more },
  });
  const open = delivery('1', 'team', { createdAt: world.clock.now(), dueAt: world.clock.now() });
  await world.stores.events.record([{ event: event('1'), deliveries: [open] }]);
  const body = JSON.stringify({ delivery: open.id, attempt: 1, group: 'team' });
  expect(await deliver([{ messageId: 'message-1', body } as SQSRecord])).toEqual({ batchItemFailures: [] });
  const [mail] = sent;
  const link = mail?.Content?.Simple?.Headers?.find(({ Name }) => Name === 'List-Unsubscribe')?.Value;
  return { set: mail?.ConfigurationSetName, link };
}

describe('a mail of deliver', () => {
  it('is sent with the configuration set of the stack', async () => {
    expect(await mailWith({ [CONFIGURATION_SET]: 'Tidings-Mails' })).toMatchObject({ set: 'Tidings-Mails' });
  });

  it('is sent without a configuration set if there is none', async () => {
    expect(await mailWith({})).toMatchObject({ set: undefined });
  });

  it('links to the API of the stack if the config has no URL', async () => {
    const { link } = await mailWith({ [MANAGE_URL]: OWN }, { url: false });
    expect(link).toMatch(new RegExp(`^<${OWN}/unsubscribe/[^>]+>$`));
  });

  it('links to the URL of the config', async () => {
    const { link } = await mailWith({ [MANAGE_URL]: OWN });
    expect(link).toMatch(new RegExp(`^<${CONFIGURED}/unsubscribe/[^>]+>$`));
  });

  it('has no link without any URL', async () => {
    expect(await mailWith({}, { url: false })).toMatchObject({ link: undefined });
  });
});
