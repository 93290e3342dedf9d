/**
 * EventBridge's matching in its simplest form, written after aws/event-ruler: an event is flattened to fields with their places
 * in lists, `$or` is expanded to rules, and the fields of a rule are matched in alphabetical order. Slow; single values are
 * compared by our own operators, except for case.
 */

import { compilePattern } from '../../../core/filters/pattern.ts';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Rule = ReadonlyMap<string, readonly unknown[]>;
/** The index of the entry in each list around a field. */
type Places = ReadonlyMap<object, number>;

interface FlatField {
  readonly name: string;
  readonly value: unknown;
  readonly places: Places;
}

export function matchesLikeEventRuler(pattern: object, event: Json): boolean {
  const fields = flatten(event, '', new Map());
  return expand(pattern, '', [new Map()]).some((rule) => {
    const names = [...rule.keys()].sort();
    return matchesFrom(0, new Map());

    function matchesFrom(index: number, places: Places): boolean {
      const name = names[index];
      if (name === undefined) return true;
      const alternatives = rule.get(name) ?? [];
      const reachable = fields.flatMap((field) => {
        const merged = field.name === name ? mergePlaces(places, field.places) : undefined;
        return merged === undefined ? [] : [{ value: field.value, places: merged }];
      });
      if (reachable.length === 0) return alternatives.some(isAbsence) && matchesFrom(index + 1, places);
      return reachable.some(
        ({ value, places: merged }) =>
          alternatives.some((one) => acceptsValue(one, value)) && matchesFrom(index + 1, merged),
      );
    }
  });
}

function flatten(value: Json, name: string, places: Places): readonly FlatField[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      flatten(item, name, typeof item === 'object' && item !== null ? new Map([...places, [value, index]]) : places),
    );
  }
  if (typeof value !== 'object' || value === null) return [{ name, value, places }];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, join(name, key), places));
}

/** A name that is written twice replaces the alternatives of the first one. */
function expand(pattern: object, name: string, rules: readonly Rule[]): readonly Rule[] {
  let expanded = rules;
  for (const [key, asked] of Object.entries(pattern) as [string, unknown][]) {
    if (key === '$or') expanded = (asked as object[]).flatMap((branch) => expand(branch, name, expanded));
    else if (Array.isArray(asked)) expanded = expanded.map((rule) => new Map([...rule, [join(name, key), asked]]));
    else expanded = expand(asked as object, join(name, key), expanded);
  }
  return expanded;
}

function mergePlaces(places: Places, more: Places): Places | undefined {
  for (const [list, index] of more) if ((places.get(list) ?? index) !== index) return undefined;
  return new Map([...places, ...more]);
}

function acceptsValue(alternative: unknown, value: unknown): boolean {
  const wanted = (alternative as Record<string, unknown> | null)?.['equals-ignore-case'];
  if (typeof wanted === 'string') return typeof value === 'string' && equalsIgnoreCase(wanted, value);
  return !isAbsence(alternative) && compilePattern({ value: [alternative] })({ value });
}

/** By UTF-16 unit, as in Java. */
function equalsIgnoreCase(wanted: string, text: string): boolean {
  let ends = [0];
  for (const unit of wanted.split('')) {
    const forms = [unit.toLowerCase(), unit.toUpperCase()];
    ends = ends.flatMap((at) => forms.flatMap((form) => (text.startsWith(form, at) ? [at + form.length] : [])));
    ends = [...new Set(ends)];
  }
  return ends.includes(text.length);
}

function isAbsence(alternative: unknown): boolean {
  return (alternative as { exists?: unknown } | null)?.exists === false;
}

const join = (name: string, key: string) => (name === '' ? key : `${name}.${key}`);
