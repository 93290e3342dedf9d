/**
 * The published JSON Schema of `tidings.yaml`, for editors and other tools: the schema of the loader, variables in place of
 * values, and the rules across several values that JSON Schema can express: zod leaves its own rules of this kind out of a JSON
 * Schema, so they are made from the channel definitions and the catalogue. The loader itself does not use it.
 */

import type { ChannelDefinition } from '../../adapters/channels/definition.ts';
import { CHANNELS } from '../../adapters/channels/index.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import { OUR_RESOURCES, SCHEMA_BASE } from '../../core/events/schema-name.ts';
import { resources } from '../../core/resources/catalogue.ts';
import { PATTERN_DEFINITIONS } from './pattern-schema.ts';
import { configJsonSchema } from './schema.ts';
import { toStrictSchema } from './strict-schema.ts';
import { GATHERING_OPTIONS } from './subscription-schema.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

const HAS_VARIABLE = '\\$\\{[^}]+\\}';
const IS_VARIABLE = `^${HAS_VARIABLE}$`;

export function publishedConfigSchema(): JsonSchema {
  const { $schema, title, ...root } = withPatterns(withVariables(configJsonSchema()));
  const whole = {
    $schema,
    $id: `${SCHEMA_BASE}tidings.schema.json`,
    title,
    ...root,
    allOf: [...channelRules(), httpRule(), mailRule(), slackRule(), eventTypeRule()],
    $defs: {
      ...Object(root.$defs),
      variable: { type: 'string', pattern: HAS_VARIABLE, description: 'Text with an environment variable: ${NAME}.' },
      numberVariable: { type: 'string', pattern: IS_VARIABLE, description: 'An environment variable with a number.' },
      booleanVariable: { type: 'string', pattern: IS_VARIABLE, description: 'An environment variable: true or false.' },
      ...PATTERN_DEFINITIONS,
    },
  };
  return Object(toStrictSchema(whole));
}

/** The keys that annotate a value. They stay outside of the alternatives. */
const ANNOTATIONS = ['description', 'default'];

/** Values that the text of a variable would not match. */
const CONSTRAINTS = ['pattern', 'format', 'enum', 'const'];

/** Allows `${NAME}` wherever the loader replaces variables: in every value. */
function withVariables(node: JsonSchema): JsonSchema {
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withVariablesBelow(key, value)]));
  const name = variableFor(node);
  if (name === undefined) return inner;
  const isAnnotation = ([key]: readonly [string, unknown]) => ANNOTATIONS.includes(key);
  const entries = Object.entries(inner);
  return {
    ...Object.fromEntries(entries.filter(isAnnotation)),
    anyOf: [Object.fromEntries(entries.filter((entry) => !isAnnotation(entry))), { $ref: `#/$defs/${name}` }],
  };
}

/** Rules such as `not` and `oneOf` describe keys, not values. */
function withVariablesBelow(key: string, value: unknown): unknown {
  if (key === 'properties') {
    const properties = Object.entries(Object(value));
    return Object.fromEntries(properties.map(([name, child]) => [name, withVariables(Object(child))]));
  }
  if (key === 'items' || key === 'additionalProperties')
    return typeof value === 'object' ? withVariables(Object(value)) : value;
  return key === 'anyOf' && Array.isArray(value) ? value.map(withVariables) : value;
}

function variableFor(node: JsonSchema): string | undefined {
  if (node.type === 'number' || node.type === 'integer') return 'numberVariable';
  if (node.type === 'boolean') return 'booleanVariable';
  return node.type === 'string' && CONSTRAINTS.some((key) => key in node) ? 'variable' : undefined;
}

const ONE_PATTERN = { $ref: '#/$defs/pattern' };

/** Replaces the placeholders of `where` and `when` by the schema of patterns. */
function withPatterns(node: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if (Array.isArray(value) || typeof value !== 'object' || value === null) return [key, value];
      const child = Object(value);
      if (['where', 'before', 'after'].includes(key) && child.type === 'object')
        return [key, { description: child.description, ...ONE_PATTERN }];
      return [key, withPatterns(child)];
    }),
  );
}

const implies = (condition: JsonSchema, rule: JsonSchema): JsonSchema => ({ if: { not: condition }, else: rule });

/** A rule for each subscription. */
const eachSubscription = (rule: JsonSchema): JsonSchema => ({ properties: { subscriptions: { items: rule } } });
const hasChannel = (name: string): JsonSchema => ({
  properties: { to: { type: 'object', required: [name] } },
  required: ['to'],
});

/** Options that a channel does not support are rejected. */
function channelRules(): readonly JsonSchema[] {
  const parts = [...new Set(CHANNELS.flatMap(({ templateParts }) => Object.keys(templateParts)))];
  return CHANNELS.flatMap(({ name, gathers, templateParts }: ChannelDefinition) => {
    const unsupported = [
      ...(gathers ? [] : GATHERING_OPTIONS).map((option) => ({ required: [option] })),
      ...parts
        .filter((part) => !Object.hasOwn(templateParts, part))
        .map((part) => ({ properties: { template: { required: [part] } }, required: ['template'] })),
    ];
    return unsupported.length === 0
      ? []
      : [eachSubscription(implies(hasChannel(name), { not: { anyOf: unsupported } }))];
  });
}

const HTTPS = `^https:|${HAS_VARIABLE}`;

/** The API on this machine may use plain http, because requests do not leave it. */
const HTTPS_OR_LOCAL = `${HTTPS}|^http://(localhost|127\\.0\\.0\\.1|\\[::1\\])([:/?#]|$)`;

/** Receivers and the API must use https, unless the config opens plain http. */
function httpRule(): JsonSchema {
  const allows = {
    properties: {
      network: { properties: { allowHttp: { anyOf: [{ const: true }, { type: 'string' }] } }, required: ['allowHttp'] },
    },
    required: ['network'],
  };
  const url = (pattern: string) => ({ type: 'string', pattern });
  const source = { properties: { baseUrl: url(HTTPS_OR_LOCAL) } };
  const receivers = {
    http: { properties: { url: url(HTTPS) } },
    slack: { properties: { api: url(HTTPS), webhook: url('^https:|^(file|ssm|secret):|\\$\\{') } },
  };
  const subscriptions = { items: { properties: { to: { properties: receivers } } } };
  return { if: allows, else: { properties: { source, sources: { items: source }, subscriptions } } };
}

/** Mail needs a sender. */
function mailRule(): JsonSchema {
  const names = CHANNELS.filter(({ needs }: ChannelDefinition) => needs.includes('mail')).map(({ name }) => name);
  const sendsMail = {
    properties: { subscriptions: { type: 'array', contains: { anyOf: names.map(hasChannel) } } },
    required: ['subscriptions'],
  };
  return implies(sendsMail, { required: ['mail'] });
}

/** A bot without a token of its own needs the token of the Slack app. */
function slackRule(): JsonSchema {
  const tokenless = { not: { anyOf: [{ required: ['webhook'] }, { required: ['token'] }] } };
  const to = { properties: { slack: { type: 'object', ...tokenless } }, required: ['slack'] };
  const usesApp = {
    properties: { subscriptions: { type: 'array', contains: { properties: { to }, required: ['to'] } } },
    required: ['subscriptions'],
  };
  return implies(usesApp, { required: ['slack'] });
}

/** Each entry of `events` is a known type, or a pattern that can match one. Custom types are known only to the loader. */
function eventTypeRule(): JsonSchema {
  const names = [...resources.map(({ name }) => name), ...OUR_RESOURCES];
  const entry = {
    anyOf: [
      { enum: eventTypes.map(({ type }) => type) },
      { pattern: HAS_VARIABLE },
      // Before the first dot: a resource, or a wildcard.
      { pattern: `^(?:${names.join('|')})\\.[^*]*\\*` },
      { pattern: '^[^.]*\\*' },
    ],
  };
  const hasCustom = { properties: { customEvents: { type: 'array', minItems: 1 } }, required: ['customEvents'] };
  const events = (items: JsonSchema) => eachSubscription({ properties: { events: { items } } });
  return { if: hasCustom, else: events(entry) };
}
