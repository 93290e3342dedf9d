/** The fields that conditions on events of some resources can be about: their words, labels and kinds of values. Pure. */

import { resources as allResources } from '../resources/catalogue.ts';
import type { FieldType } from '../resources/field.ts';
import { labelOf } from '../resources/field-labels.ts';
import { fieldFor, PREFERRED_WORDS } from './query-keys.ts';

export interface FilterField {
  /** Its word in a query: `assignee`. */
  readonly key: string;
  /** `Assigned to` */
  readonly label: string;
  readonly kind: FilterFieldKind;
  /** Whether `total>=500` is possible. */
  readonly isComparable: boolean;
  /** Whether people use it often. */
  readonly isCommon: boolean;
  /** The field of each resource that has it. */
  readonly fields: readonly ResourceField[];
}

type FilterFieldKind = 'text' | 'number' | 'date' | 'flag';

interface ResourceField {
  readonly resource: string;
  readonly name: string;
}

/** After the preferred words. */
const ALSO_COMMON: readonly string[] = ['title', 'total', 'balance', 'label', 'milestone', 'module'];
const COMMON_WORDS = [...PREFERRED_WORDS, ...ALSO_COMMON];

/** The words for all fields of these resources, each field once, the common ones first. Ids are left out: people know names. */
export function filterFieldsOf(resources: readonly string[]): readonly FilterField[] {
  const known = allResources.filter(({ name }) => resources.includes(name));
  const names = known.flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([name, { type }]) => (HIDDEN_TYPES.includes(type) ? [] : [name])),
  );
  const covered = new Set<string>();
  return [...new Set([...COMMON_WORDS, ...names])].flatMap((key) => {
    const field = filterFieldOf(key, resources);
    const pairs = (field?.fields ?? []).map(({ resource, name }) => `${resource}.${name}`);
    if (field === undefined || pairs.every((pair) => covered.has(pair))) return [];
    for (const pair of [...pairs, ...comparedPairs(key, resources)]) covered.add(pair);
    return [field];
  });
}

const HIDDEN_TYPES: readonly FieldType[] = ['id', 'ids', 'html'];

/** Undefined if no resource has the field. */
export function filterFieldOf(key: string, resources: readonly string[]): FilterField | undefined {
  const found = resources.flatMap((resource) => {
    const field = fieldFor(resource, key, false);
    return field === undefined ? [] : [{ resource, ...field }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const kinds = new Set(found.map(({ spec }) => KINDS[spec.type]));
  return {
    key,
    label: found.some(({ resource }) => resource === key) ? labelOf(key) : labelOf(first.name),
    kind: kinds.size === 1 ? KINDS[first.spec.type] : 'text',
    isComparable: resources.some((resource) => {
      const type = fieldFor(resource, key, true)?.spec.type;
      return type !== undefined && ['number', 'date'].includes(KINDS[type]);
    }),
    isCommon: COMMON_WORDS.includes(key),
    fields: found.map(({ resource, name }) => ({ resource, name })),
  };
}

/** A word may stand for another field when it is compared: the rank of a priority. */
function comparedPairs(key: string, resources: readonly string[]): readonly string[] {
  return resources.flatMap((resource) => {
    const field = fieldFor(resource, key, true);
    return field === undefined ? [] : [`${resource}.${field.name}`];
  });
}

const KINDS: Readonly<Record<FieldType, FilterFieldKind>> = {
  id: 'text',
  ids: 'text',
  names: 'text',
  text: 'text',
  html: 'text',
  email: 'text',
  date: 'date',
  datetime: 'date',
  number: 'number',
  decimal: 'number',
  boolean: 'flag',
};
