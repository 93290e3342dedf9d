/** The forms: subscribing with the same choices as the command, and linking an API token. Pure: views as Slack expects them. */

import { plainText } from '../../adapters/channels/slack/block-kit.ts';
import { actionId } from '../../adapters/channels/slack/message-buttons.ts';
import type { EventType } from '../../core/events/event-type.ts';
import { printQuery } from '../../core/filters/query.ts';
import { parseQuery } from '../../core/filters/query-parse.ts';
import { clip } from '../../core/messages/clip.ts';
import { jsonTextOf, readJsonObject } from '../../core/model/json.ts';
import type { SlackPlace } from './slack-request.ts';

export const SUBSCRIBE_FORM = actionId('subscribe');
export const CONNECT_FORM = actionId('connect');

/** Slack's limits. */
const MAX_OPTION_TEXT = 75;
const MAX_OPTION_VALUE = 150;
const MAX_OPTIONS = 100;
const MAX_METADATA = 3000;

export interface FormContext {
  readonly place: SlackPlace;
  /** The accounts that the form offers, see `digestAccounts`. @default - the form is about none */
  readonly accounts?: string;
}

/** What the form needs when it is submitted, which has neither channel nor response URL. */
function writeMetadata({ place, ...more }: FormContext): string {
  const { channel, channelName, thread, responseUrl } = place;
  const text = JSON.stringify({ channel, channelName, thread, responseUrl, ...more });
  return text.length <= MAX_METADATA ? text : JSON.stringify({ channel, channelName, thread, ...more });
}

export function readMetadata(text: string, by: Pick<SlackPlace, 'user' | 'userName'>): FormContext {
  const metadata = readJsonObject(text) ?? {};
  const optional = (key: string) => (typeof metadata[key] === 'string' ? { [key]: metadata[key] } : {});
  const place: SlackPlace = {
    user: by.user,
    userName: by.userName,
    channel: jsonTextOf(metadata.channel),
    channelName: jsonTextOf(metadata.channelName),
    ...optional('thread'),
    ...optional('responseUrl'),
  };
  return { place, ...optional('accounts') };
}

const input = (id: string, label: string, element: object, hint?: string, optional = false) => ({
  type: 'input',
  block_id: id,
  label: plainText(label),
  optional,
  element: { action_id: 'value', ...element },
  ...(hint === undefined ? {} : { hint: plainText(hint) }),
});

const option = (value: string, label: string) => ({ text: plainText(clip(label, MAX_OPTION_TEXT)), value });

const optionOf = ({ type, meaning }: Pick<EventType, 'type' | 'meaning'>) => option(type, `${type}: ${meaning}`);

const isShort = ({ type }: EventType) => type.length <= MAX_OPTION_VALUE;

/**
 * @param types the event types that may be chosen
 * @param query the query to start from. @default - an empty form
 */
export function subscribeForm(types: readonly EventType[], context: FormContext, query = ''): object {
  const parts = query === '' ? undefined : parseQuery(query);
  const groups = Map.groupBy(types, ({ type }) => type.slice(0, type.indexOf('.')));
  const options = [...groups].map(([resource, group]) => [
    resource,
    // Those that are left out can be typed.
    [
      option(`${resource}.*`, `${resource}.*: everything about a ${resource}`),
      ...group.filter(isShort).map(optionOf),
    ].slice(0, MAX_OPTIONS),
  ]) as [string, ReturnType<typeof option>[]][];
  const all = options.flatMap(([, list]) => list);
  const selected = (parts?.events ?? []).flatMap((event) => all.find(({ value }) => value === event) ?? []);
  const others = (parts?.events ?? []).filter((event) => !all.some(({ value }) => value === event));
  const conditions = [...others, printQuery({ events: [], conditions: parts?.conditions ?? [] })].join(' ').trim();
  const { digest, quiet } = parts ?? {};
  const schedule = printQuery({ events: [], conditions: [], ...(digest && { digest }), ...(quiet && { quiet }) });
  return {
    type: 'modal',
    callback_id: SUBSCRIBE_FORM,
    private_metadata: writeMetadata(context),
    title: plainText('Subscribe'),
    submit: plainText('Preview'),
    close: plainText('Cancel'),
    blocks: [
      input(
        'events',
        'What happened',
        {
          type: 'multi_static_select',
          placeholder: plainText('Choose events'),
          option_groups: options.map(([resource, list]) => ({
            label: plainText(resource),
            options: list,
          })),
          ...(selected.length === 0 ? {} : { initial_options: selected }),
        },
        undefined,
        others.length > 0,
      ),
      input(
        'conditions',
        'Only if',
        {
          type: 'plain_text_input',
          placeholder: plainText('project:"Website relaunch" -status:Draft total>=500'),
          ...(conditions === '' ? {} : { initial_value: conditions }),
        },
        'The same word twice means either; different words must all match; - excludes.',
        true,
      ),
      input(
        'schedule',
        'When',
        {
          type: 'plain_text_input',
          placeholder: plainText('daily 08:30 mon-fri'),
          ...(schedule === '' ? {} : { initial_value: schedule }),
        },
        'Empty: as it happens. daily 08:30, weekdays 9am, weekly mon 09:00, quiet 18:00-08:00',
        true,
      ),
    ],
  };
}

/** @param accounts the names to choose from; `typed`: the person types a name, and reads none; undefined: there is only one account */
export function connectForm(accounts: readonly string[] | 'typed' | undefined, context: FormContext): object {
  return {
    type: 'modal',
    callback_id: CONNECT_FORM,
    private_metadata: writeMetadata(context),
    title: plainText('Connect'),
    submit: plainText('Connect'),
    close: plainText('Cancel'),
    blocks: [
      ...(accounts === undefined ? [] : [accountInput(accounts)]),
      input(
        'token',
        'Your API token',
        { type: 'plain_text_input', placeholder: plainText('from your profile in the account') },
        'It is stored encrypted and used only when you press a button. /tidings disconnect forgets it.',
      ),
    ],
  };
}

function accountInput(accounts: readonly string[] | 'typed'): object {
  if (accounts === 'typed')
    return input(
      'source',
      'Account',
      { type: 'plain_text_input' },
      'Its name in Tidings. Ask an admin of Tidings for it.',
    );
  const choices = accounts.map((name) => option(name, name));
  return input('source', 'Account', { type: 'static_select', ...inGroups(choices), initial_option: choices[0] });
}

/** A menu has up to 100 options, or as many groups of them. */
function inGroups(choices: readonly ReturnType<typeof option>[]): object {
  if (choices.length <= MAX_OPTIONS) return { options: choices };
  const groups = Map.groupBy(choices.entries(), ([at]) => Math.floor(at / MAX_OPTIONS));
  return {
    option_groups: [...groups.values()].map((group) => ({
      label: plainText(`from ${clip(group[0]?.[1].value ?? '', MAX_OPTION_TEXT - 5)}`),
      options: group.map(([, choice]) => choice),
    })),
  };
}
