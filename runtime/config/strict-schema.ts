/**
 * Completes a JSON Schema for the strict modes of validators: each rule names the type that it is about, and declares the
 * keys that it requires. Values that the whole schema accepts stay the same. Pure.
 */

type JsonSchema = Readonly<Record<string, unknown>>;

/** Keywords with a schema, a list of schemas, or schemas by name. */
const SINGLE = ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** The type that a keyword is about. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'required', 'additionalProperties', 'propertyNames', 'dependentSchemas', 'minProperties'],
  array: ['items', 'contains', 'prefixItems', 'minItems', 'maxItems'],
  string: ['pattern', 'minLength', 'maxLength'],
};

export function toStrictSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema;
  const node = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toStrictPart(key, value)]));
  return { ...typeOf(node), ...withoutUnion(node), ...propertiesOf(node) };
}

/** A list of types other than one and null becomes alternatives. */
function withoutUnion(node: JsonSchema): JsonSchema {
  const { type, ...rest } = node;
  if (!Array.isArray(type) || type.length < 2 || (type.length === 2 && type.includes('null'))) return node;
  return { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) };
}

function toStrictPart(key: string, value: unknown): unknown {
  if (SINGLE.includes(key)) return toStrictSchema(value);
  if (LISTS.includes(key) && Array.isArray(value)) return value.map(toStrictSchema);
  if (!MAPS.includes(key) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, toStrictSchema(child)]));
}

function typeOf(node: JsonSchema): JsonSchema {
  if ('type' in node || '$ref' in node || 'enum' in node || 'const' in node) return {};
  const [type] = Object.entries(TYPES).find(([, keywords]) => keywords.some((keyword) => keyword in node)) ?? [];
  return type === undefined ? {} : { type };
}

function propertiesOf({ required, properties }: JsonSchema): JsonSchema {
  if (!Array.isArray(required)) return {};
  const missing = required.filter((key: string) => !Object.hasOwn(Object(properties), key));
  if (missing.length === 0) return {};
  return { properties: { ...Object(properties), ...Object.fromEntries(missing.map((key) => [key, true])) } };
}
