/**
 * The fields of a form for the settings of a channel, derived from the schema of its definition, and how their text becomes
 * settings. A new channel needs no code here. Stored secrets never become text: an empty field keeps them.
 */

import type { ChannelForm, ChannelWay } from '../adapters/channels/channel-form.ts';
import { channelRegistry } from '../adapters/channels/registry.ts';
import type { FieldError } from '../manage/api/http/problem.ts';
import { configJsonSchema } from '../runtime/config/schema.ts';
import { isConfigSection } from '../runtime/config/values.ts';
import { type FormText, isSameText } from './form-text.ts';

export interface ChannelField {
  /** The name of the field in the form: `to.auth.basic.user`. */
  readonly name: string;
  /** Where its value is in the settings. */
  readonly path: readonly string[];
  readonly label: string;
  /** '' if the label says it all. */
  readonly hint: string;
  /** '' for none. */
  readonly example: string;
  /** `lines`: a list, or one of the options; `pairs`: names with values; `flag`: yes or no. */
  readonly kind: 'text' | 'choice' | 'flag' | 'lines' | 'pairs';
  /** Empty for free text. */
  readonly options: readonly string[];
  /** What each option is called; '' for none of them. */
  readonly optionLabels: Readonly<Record<string, string>>;
  /** Whether it is only for messages to the people concerned. */
  readonly isForRoles: boolean;
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Whether the form shows it at once, not under further settings. */
  readonly isMain: boolean;
}

type Section = Readonly<Record<string, unknown>>;

/** In place of a stored secret in a list of pairs. */
const UNCHANGED = '(unchanged)';

/** The prefix of the name of the check box that removes a stored secret. */
export const DROP = 'drop.';

/** The suffix of the name of the choice between roles and a list. */
export const WHO = '.who';

export function channelFields(channel: string): readonly ChannelField[] {
  const definition = channelRegistry.get(channel);
  if (definition === undefined) return [];
  const schema = schemaOf(channel);
  // The API makes the signing secret.
  const signing = definition.signingSecret(definition.placeholder);
  const isSigning = (key: string) => signing !== undefined && Reflect.get(definition.placeholder, key) === signing;
  const ways = definition.form.ways ?? [];
  const main = [...textsOf(schema.required), ...ways.map(({ key }) => key)];
  const fields = fieldsOf(schema, [], textsOf(schema.required), definition.secretKeys, definition.form);
  return fields
    .filter(({ path: [key = ''] }) => !isSigning(key))
    .map((field) => ({ ...field, isMain: main.length === 0 || main.includes(field.path[0] ?? '') }));
}

/** Which kind of receiver the form, else the stored settings have; undefined if the channel has one kind. */
export function wayOf(channel: string, form: FormText, known: object = {}): ChannelWay | undefined {
  const ways = channelRegistry.get(channel)?.form.ways ?? [];
  return (
    ways.find(({ key }) => key === form.get('way')) ??
    ways.find(({ key }) => (form.get(`to.${key}`) ?? '') !== '') ??
    ways.find(({ key }) => Object.hasOwn(known, key)) ??
    ways[0]
  );
}

/** The fields of the chosen kind of receiver. */
export function fieldsOfWay(channel: string, form: FormText, known?: object): readonly ChannelField[] {
  const way = wayOf(channel, form, known);
  const fields = channelFields(channel);
  if (way === undefined) return fields;
  return fields.filter(({ path: [key = ''] }) => key === way.key || way.also.includes(key));
}

/** What a person has to fill in and did not, or filled in for nothing. */
export function findFormProblems(form: FormText, channel: string, known?: object): readonly FieldError[] {
  const way = wayOf(channel, form, known);
  const fields = fieldsOfWay(channel, form, known);
  const hasRole = fields.some(({ name, options }) =>
    [`${name}${WHO}`, name].some((one) => name === 'to.to' && options.includes(form.get(one) ?? '')),
  );
  return fields.flatMap((field) => {
    const { name, path, label, isRequired, isForRoles } = field;
    if (isForRoles && !hasRole && (form.get(name) ?? '').trim() !== '') {
      return [
        {
          pointer: `/to/${channel}/${path.join('/')}`,
          detail: `${label}: this is only for messages to the people concerned`,
        },
      ];
    }
    if (!isRequired && path.join('.') !== way?.key) return [];
    const isGiven = [name, `${name}${WHO}`].some((one) => (form.get(one) ?? '').trim() !== '');
    if (isGiven || (hasStored(field, known) && form.get(`${DROP}${name}`) === undefined)) return [];
    return [{ pointer: `/to/${channel}/${path.join('/')}`, detail: `${label}: this is missing` }];
  });
}

/** Whether the form still has the settings with which it was opened. */
export function isSettingsUntouched(form: FormText, stored: FormText, channel: string): boolean {
  const names = channelFields(channel).flatMap(({ name }) => [name, `${name}${WHO}`, `${DROP}${name}`]);
  const isSameWay = (form.get('way') ?? stored.get('way')) === stored.get('way');
  return isSameWay && isSameText(form, stored, names);
}

function schemaOf(channel: string): Section {
  const path = ['properties', 'subscriptions', 'items', 'properties', 'to', 'properties', channel];
  return sectionOf(path.reduce<unknown>((node, key) => sectionOf(node)[key], configJsonSchema()));
}

type UnplacedField = Omit<ChannelField, 'isMain'>;

function fieldsOf(
  schema: Section,
  path: readonly string[],
  required: readonly string[],
  secretKeys: readonly string[],
  form: ChannelForm,
): readonly UnplacedField[] {
  return Object.entries(sectionOf(schema.properties)).flatMap(([key, value]) => {
    const child = sectionOf(value);
    const own = [...path, key];
    const isRequired = path.length === 0 && required.includes(key);
    if (child.properties !== undefined) return fieldsOf(child, own, [], secretKeys, form);
    const isSecret = own.some((one) => secretKeys.includes(one));
    return [{ name: `to.${own.join('.')}`, path: own, isRequired, isSecret, ...describe(child, own, form) }];
  });
}

function describe(
  schema: Section,
  path: readonly string[],
  form: ChannelForm,
): Pick<ChannelField, 'label' | 'hint' | 'example' | 'kind' | 'options' | 'optionLabels' | 'isForRoles'> {
  const words = form.fields[path.join('.')];
  const alternatives = listOf(schema.anyOf);
  const isFlag = schema.type === 'boolean';
  const options = isFlag ? FLAGS : textsOf(schema.enum ?? alternatives.find((one) => one.enum !== undefined)?.enum);
  const isList = alternatives.some(({ type }) => type === 'array');
  const kind = isList
    ? 'lines'
    : schema.additionalProperties !== undefined
      ? 'pairs'
      : isFlag
        ? 'flag'
        : options.length > 0
          ? 'choice'
          : 'text';
  return {
    label: words?.label ?? path.join(' '),
    hint: words?.hint ?? '',
    example: words?.example ?? '',
    kind,
    options,
    optionLabels: words?.options ?? {},
    isForRoles: words?.isForRoles ?? false,
  };
}

const FLAGS: readonly string[] = ['yes', 'no'];

/** The text of each field. Secrets are left out. */
export function settingsToForm(settings: object, fields: readonly ChannelField[]): FormText {
  return new Map(
    fields.flatMap((field): readonly (readonly [string, string])[] => {
      const value = valueAt(settings, field.path);
      if (value === undefined) return [];
      if (field.kind === 'pairs') {
        const lines = Object.entries(sectionOf(value)).map(
          ([key, item]) => `${key}: ${field.isSecret ? UNCHANGED : String(item)}`,
        );
        return [[field.name, lines.join('\n')]];
      }
      if (field.isSecret) return [];
      if (field.kind === 'flag') return [[field.name, value === true ? 'yes' : 'no']];
      if (field.kind === 'lines' && field.options.includes(String(value)))
        return [[`${field.name}${WHO}`, String(value)]];
      if (Array.isArray(value)) return [[field.name, value.join('\n')]];
      // As a browser sends it back: a line has no line breaks.
      return [[field.name, String(value).replaceAll(/[\r\n]/g, '')]];
    }),
  );
}

/** @param known the stored settings, whose secrets are kept where the form has none. @default - new settings */
export function formToSettings(form: FormText, fields: readonly ChannelField[], known: object = {}): object {
  const settings: Record<string, unknown> = {};
  const stored = settingsToForm(known, fields);
  for (const field of fields) {
    const names = [field.name, `${field.name}${WHO}`];
    const isUntouched = !field.isSecret && isSameText(form, stored, names) && names.some((name) => stored.has(name));
    const before = valueAt(known, field.path);
    const value = isUntouched ? before : readField(form, field, before);
    if (value !== undefined) setAt(settings, field.path, value);
  }
  return settings;
}

function readField(form: FormText, { name, kind, options, isSecret }: ChannelField, known: unknown): unknown {
  const who = form.get(`${name}${WHO}`) ?? '';
  if (options.includes(who)) return who;
  const text = (form.get(name) ?? '').trim();
  if (kind === 'pairs') return readPairs(text, sectionOf(known));
  if (text === '') return isSecret && form.get(`${DROP}${name}`) === undefined ? known : undefined;
  // Any other text is left to the schema, which refuses it.
  if (kind === 'flag') return FLAGS.includes(text) ? text === 'yes' : text;
  if (kind !== 'lines') return text;
  const lines = text.split(/[\n,;]/).map((line) => line.trim());
  const items = lines.filter((line) => line !== '');
  return items.length === 1 && options.includes(items[0] ?? '') ? items[0] : items;
}

/** A line without a colon is a name without a value, which the schema refuses with its reason. */
function readPairs(text: string, known: Section): Section | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return undefined;
  return Object.fromEntries(
    lines.map((line) => {
      // A name may contain a colon.
      const stored = Object.entries(known).find(([key, value]) =>
        [UNCHANGED, value].some((one) => line === `${key}: ${one}`),
      );
      if (stored !== undefined) return stored;
      const [key = '', ...rest] = line.split(':');
      const value = rest.join(':').trim();
      return [key.trim(), value === UNCHANGED && known[key.trim()] !== undefined ? known[key.trim()] : value];
    }),
  );
}

/** Whether a secret is stored for the field. */
export function hasStored({ path, isSecret }: ChannelField, known: object | undefined): boolean {
  return isSecret && known !== undefined && valueAt(known, path) !== undefined;
}

function valueAt(settings: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => sectionOf(node)[key], settings);
}

function setAt(settings: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    settings[key] = value;
    return;
  }
  const child: Record<string, unknown> = { ...sectionOf(settings[key]) };
  setAt(child, rest, value);
  settings[key] = child;
}

function sectionOf(value: unknown): Section {
  return isConfigSection(value) ? value : {};
}

function listOf(value: unknown): readonly Section[] {
  return Array.isArray(value) ? value.map(sectionOf) : [];
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
