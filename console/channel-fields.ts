/**
 * The fields of a form for the settings of a channel, derived from the schema of its definition, and how their text becomes
 * settings. A new channel needs no code here. Stored secrets never become text: an empty field keeps them.
 */

import { channelRegistry } from '../adapters/channels/registry.ts';
import { configJsonSchema } from '../runtime/config/schema.ts';
import { isConfigSection } from '../runtime/config/values.ts';

export interface ChannelField {
  /** The name of the field in the form: `to.auth.basic.user`. */
  readonly name: string;
  /** Where its value is in the settings. */
  readonly path: readonly string[];
  readonly label: string;
  readonly hint: string;
  /** `lines`: a list, or one of the options; `pairs`: names with values; `flag`: yes or no. */
  readonly kind: 'text' | 'choice' | 'flag' | 'lines' | 'pairs';
  /** Empty for free text. */
  readonly options: readonly string[];
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Whether the form shows it at once, not under further settings. */
  readonly isMain: boolean;
}

type Section = Readonly<Record<string, unknown>>;
type Form = ReadonlyMap<string, string>;

/** In place of a stored secret in a list of pairs. */
const UNCHANGED = '(unchanged)';

/** The prefix of the name of the check box that removes a stored secret. */
export const DROP = 'drop.';

export function channelFields(channel: string): readonly ChannelField[] {
  const definition = channelRegistry.get(channel);
  if (definition === undefined) return [];
  const schema = schemaOf(channel);
  // The API makes the signing secret.
  const signing = definition.signingSecret(definition.placeholder);
  const isSigning = (key: string) => signing !== undefined && Reflect.get(definition.placeholder, key) === signing;
  const main = [...textsOf(schema.required), ...listOf(schema.oneOf).flatMap((one) => textsOf(one.required))];
  const fields = fieldsOf(schema, [], textsOf(schema.required), definition.secretKeys);
  return fields
    .filter(({ path: [key = ''] }) => !isSigning(key))
    .map((field) => ({ ...field, isMain: main.length === 0 || main.includes(field.path[0] ?? '') }));
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
): readonly UnplacedField[] {
  return Object.entries(sectionOf(schema.properties)).flatMap(([key, value]) => {
    const child = sectionOf(value);
    const own = [...path, key];
    const isRequired = path.length === 0 && required.includes(key);
    if (child.properties !== undefined) return fieldsOf(child, own, [], secretKeys);
    const isSecret = own.some((one) => secretKeys.includes(one));
    return [{ name: `to.${own.join('.')}`, path: own, isRequired, isSecret, ...describe(child, own) }];
  });
}

function describe(schema: Section, path: readonly string[]): Pick<ChannelField, 'label' | 'hint' | 'kind' | 'options'> {
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
    label: labelOf(path),
    hint: String(schema.description ?? '').replace(/ Default: none\.$/, ''),
    kind,
    options,
  };
}

const FLAGS: readonly string[] = ['yes', 'no'];

/** Where the key says too little. */
const LABELS: Readonly<Record<string, string>> = { to: 'Readers', url: 'URL', api: 'Base URL of the API' };

/** `Auth: basic user`, `Routing key` */
function labelOf(path: readonly string[]): string {
  const label = LABELS[path.join('.')];
  if (label !== undefined) return label;
  const words = path.map((key) => key.replaceAll(/([A-Z])/g, ' $1').toLowerCase());
  const text = words.length > 1 ? `${words[0]}: ${words.slice(1).join(' ')}` : (words[0] ?? '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The text of each field. Secrets are left out. */
export function settingsToForm(settings: object, fields: readonly ChannelField[]): Form {
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
      return [[field.name, Array.isArray(value) ? value.join('\n') : String(value)]];
    }),
  );
}

/** @param known the stored settings, whose secrets are kept where the form has none. @default - new settings */
export function formToSettings(form: Form, fields: readonly ChannelField[], known: object = {}): object {
  const settings: Record<string, unknown> = {};
  for (const field of fields) {
    const value = readField(form, field, valueAt(known, field.path));
    if (value !== undefined) setAt(settings, field.path, value);
  }
  return settings;
}

function readField(form: Form, { name, kind, options, isSecret }: ChannelField, known: unknown): unknown {
  const text = (form.get(name) ?? '').trim();
  if (kind === 'pairs') return readPairs(text, isSecret ? sectionOf(known) : {});
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
