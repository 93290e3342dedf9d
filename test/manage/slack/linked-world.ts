/** What tests of linked tokens share: records as a poll stores them, and a person who links a token. */

import { resourceOf } from '../../../core/resources/catalogue.ts';
import { cleanRow } from '../../../core/resources/clean.ts';
import { readAccount, rememberAccount, toAccount } from '../../../core/source/account/account.ts';
import { parseRows } from '../../../core/source/scan/list-rows.ts';
import { CONNECT_FORM } from '../../../manage/slack/modal.ts';
import type { SourceConfig } from '../../../runtime/config/config.ts';
import type { Simulator } from '../../../simulator/simulator.ts';
import { snapshot } from '../../samples.ts';
import { type SlackWorld, textIn } from './slack-world.ts';

/** What a poll of the account has stored. */
export async function storeTasks({ embedded, ports }: SlackWorld, source: string, { url, tokens }: Simulator) {
  const config = { ...embedded.config.sources[0], name: source, baseUrl: url } as SourceConfig;
  const api = await ports.openSourceAs(config, tokens.Administrator[0] ?? '');
  const page = await api.list('task', { offset: 0, limit: 20, filters: {} });
  await api.close();
  const task = resourceOf('task');
  if (task === undefined) throw new Error('no tasks');
  const { snapshots } = embedded;
  // Another poll of the same account remembers it no more.
  if ((await readAccount(snapshots, source)).account === undefined) await rememberAs(embedded, source, url);
  const records = parseRows(page.content().rows).rows.map((row) => cleanRow(task, row));
  await snapshots.commit(
    records.map(({ id, fields: record }) => ({
      snapshot: snapshot(id, { key: { source, resource: 'task', id }, record, cause: 'baseline' }),
      expected: 0,
    })),
  );
}

/** What the first contact remembers. */
export async function rememberAs(embedded: SlackWorld['embedded'], source: string, url: string) {
  const memory = await readAccount(embedded.snapshots, source);
  await rememberAccount(embedded, source, memory, toAccount(url, { person: '1', name: 'Ann Vogt' }));
}

export interface ConnectOptions {
  readonly user?: string;
  /** Chosen from the menu. @default - the form has none */
  readonly source?: string;
  /** Typed instead. @default - it is chosen */
  readonly typed?: string;
  /** The world in which the form is submitted. @default - the one in which it was opened */
  readonly whileOpen?: () => Promise<SlackWorld>;
}

/** Opens the form, and submits it. Returns what the person reads. */
export async function connectPerson(world: SlackWorld, token: string, options: ConnectOptions = {}) {
  const { user = 'UANN', source = '', typed, whileOpen } = options;
  await world.type('connect', { user });
  const opened = world.slack.callsOf('views.open').at(-1)?.view.private_metadata;
  // The URL is of this Slack: after a restart it would be gone.
  const { responseUrl: _, ...metadata } = JSON.parse(opened);
  const submitted = (await whileOpen?.()) ?? world;
  const chosen = source === '' ? {} : { source: { selected_option: { value: source } } };
  const inputs = { token: { value: token }, ...(typed === undefined ? chosen : { source: { value: typed } }) };
  await submitted.submit(CONNECT_FORM, inputs, { user, metadata: JSON.stringify(metadata) });
  return textIn(submitted.slack.callsOf('chat.postEphemeral').at(-1));
}
