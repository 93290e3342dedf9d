/** The configs of a storm over the embedded mode: two deployments with other times, before and after a rename. */

import type { Simulator } from '../../simulator/simulator.ts';
import { STORM_SOURCE_WITH_PEOPLE } from './storm-actions.ts';
import type { StormSecretFiles } from './storm-secret-files.ts';

/** Event types by subscription; the same in every deployment. Those that are renamed have their first name here. */
export const WANTED = {
  ops: ['task.*'],
  chat: ['task.*'],
  bot: ['task.*'],
  daily: ['task.closed', 'task.reopened', 'task.updated', 'task.overdue'],
  mail: ['task.*'],
  watch: ['subscription.*', 'source.*'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The new names of the subscriptions that are renamed during the storm. */
export const RENAMED: Readonly<Record<string, string>> = { ops: 'operations', mail: 'letters' };

/** The subscription of the assignees. */
export const MINE = 'mine';
/** The reader of messages about invoices. */
const OFFICE = 'office@example.com';

/** A subscription that is added and removed repeatedly by command. */
export const GUEST = 'guest';

export interface ConfigOptions {
  readonly simulator: Simulator;
  readonly deployed: number;
  readonly isRenamed: boolean;
  readonly url: string;
  readonly api: string;
  readonly smtp: string;
  readonly secrets: Pick<StormSecretFiles, 'reference'>;
}

/** A template with the event ids, so that checks can find the events in a message. */
const IDS = { text: '{% for one in events %}{{ one.event.id }} {% endfor %}' };

export function buildConfig({ simulator, deployed, isRenamed, url, api, smtp, secrets }: ConfigOptions) {
  const [gather, quiet, at] =
    deployed === 0
      ? ['30s', { from: '22:00', until: '06:00' }, '08:00']
      : // On a clock change this time exists twice, or not at all.
        ['0s', { from: '01:30', until: '02:30' }, '02:30'];
  const fast = { rate: '50/s' };
  const name = (first: string) =>
    isRenamed && first in RENAMED ? { name: RENAMED[first], renamedFrom: first } : { name: first };
  return {
    source: {
      baseUrl: simulator.url,
      token: '${TOKEN}',
      timeZone: 'Europe/Berlin',
      quota: { perMinute: 100_000 },
      ...STORM_SOURCE_WITH_PEOPLE,
    },
    // A status that counts as closed in one deployment and not in the other: two processes may have different rules.
    rules: { closedStatuses: deployed === 0 ? ['Closed'] : ['Closed', 'In Progress'] },
    links: { task: 'https://work.example.com/task/{id}', invoice: 'https://work.example.com/invoice/{id}' },
    network: { allowHttp: true, allow: ['127.0.0.0/8'] },
    mail: { from: 'Tidings <tidings@example.com>', smtp },
    subscriptions: [
      { ...httpTo(url, 'ops', WANTED.ops, secrets.reference('ops')), ...name('ops'), ...fast },
      {
        name: 'chat',
        events: WANTED.chat,
        to: { slack: { webhook: secrets.reference('hook') } },
        gather,
        template: IDS,
        ...fast,
      },
      {
        name: 'bot',
        events: WANTED.bot,
        to: { slack: { token: secrets.reference('bot'), channel: '#projects', api } },
        quiet,
        ...fast,
      },
      { name: 'daily', events: WANTED.daily, to: { email: { to: ['ann@example.com'] } }, digest: { at } },
      {
        ...name('mail'),
        events: WANTED.mail,
        to: { email: { to: ['ann@example.com', 'ben@example.com'] } },
        gather,
        quiet,
      },
      httpTo(url, 'watch', WANTED.watch),
      // What these get depends on the people and amounts at the time of sending, so only what arrives is judged.
      { name: MINE, events: ['task.overdue', 'task.due_date_changed'], to: { email: { to: 'assignees' } }, quiet },
      { name: 'dues', events: ['invoice.*'], to: { email: { to: [OFFICE] } }, quiet },
    ],
  };
}

export const httpTo = (url: string, name: string, events: readonly string[], secret = '${OPS}') => ({
  name,
  events,
  to: { http: { url: `${url}/${name}`, secret } },
});
