/**
 * Reads the body of a write against the settable fields of its resource: names, types, lengths, references.
 * The result has numbers, days, flags and texts; the rules decide what they mean together.
 */
import { invalid } from '../request-error.ts';
import type { Resource, Settable } from '../resources/resource.ts';
import type { Data } from './data.ts';
import { parseDay } from './days.ts';
import { parseDecimal } from './decimals.ts';

export type Body = Readonly<Record<string, unknown>>;
type Value = number | string | boolean | readonly number[] | null;

export class Input {
  readonly #values: ReadonlyMap<string, Value>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  names(): string[] {
    return [...this.#values.keys()];
  }

  get(name: string): Value {
    return this.#values.get(name) ?? null;
  }

  /** An id, a day or a scaled decimal; null when blank or absent. */
  number(name: string): number | null {
    const value = this.get(name);
    return typeof value === 'number' ? value : null;
  }

  list(name: string): readonly number[] {
    const value = this.get(name);
    return Array.isArray(value) ? value : [];
  }

  text(name: string): string {
    const value = this.get(name);
    return typeof value === 'string' ? value : '';
  }

  flag(name: string): boolean {
    return this.get(name) === true;
  }
}

/** Reads a whole new record: required fields must be there, absent ones take their defaults. */
export function readCreate(resource: Resource, body: Body, data: Data): Input {
  const values = readFields(resource, body, data);
  for (const field of resource.settable) {
    if (values.has(field.name)) continue;
    if (field.default !== undefined) values.set(field.name, readValue(field, field.default, data));
    else if (field.required) throw invalid(field.name, `is required to create a ${resource.name}`);
  }
  return new Input(values);
}

/** Reads the fields to change; absent ones stay as they are. */
export function readUpdate(resource: Resource, body: Body, data: Data): Input {
  return new Input(readFields(resource, body, data));
}

function readFields(resource: Resource, body: Body, data: Data): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const [name, sent] of Object.entries(body)) {
    const field = resource.settable.find((candidate) => candidate.name === name);
    if (field === undefined) {
      const settable = resource.settable.map((candidate) => candidate.name).join(', ');
      throw invalid(name, `is not a settable field of ${resource.name}; these are: ${settable}`);
    }
    values.set(name, readValue(field, sent, data));
  }
  return values;
}

function readValue(field: Settable, sent: unknown, data: Data): Value {
  if (sent !== null && typeof sent !== 'string' && typeof sent !== 'number') {
    throw invalid(field.name, `expected ${expected(field)}, got ${JSON.stringify(sent)}`);
  }
  const text = sent === null ? '' : String(sent);
  if (text.trim() === '') {
    if (field.required) throw invalid(field.name, 'is required and may not be blank');
    return field.type === 'integers' ? [] : field.type === 'boolean' ? false : null;
  }
  const value = readTyped(field, text);
  if (value === undefined) throw invalid(field.name, `expected ${expected(field)}, got '${shorten(text)}'`);
  checkReferences(field, value, data);
  return value;
}

function readTyped(field: Settable, text: string): Value | undefined {
  switch (field.type) {
    case 'integer':
      return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;
    case 'integers':
      return /^\s*\d{1,15}\s*(,\s*\d{1,15}\s*)*$/.test(text) ? [...new Set(text.split(',').map(Number))] : undefined;
    case 'date':
      return parseDay(text);
    case 'double':
      return parseDecimal(text, field.places ?? 2);
    case 'boolean':
      return text === 't' ? true : text === 'f' ? false : undefined;
    default:
      // Characters as people count them: an emoji is one, not two.
      if (field.max !== undefined && text.length > field.max && [...text].length > field.max) {
        throw invalid(field.name, `at most ${field.max} characters, got ${[...text].length}`);
      }
      return text;
  }
}

function checkReferences(field: Settable, value: Value, data: Data): void {
  if (field.refers === undefined) return;
  for (const id of Array.isArray(value) ? value : [value]) {
    if (typeof id === 'number' && data[field.refers].get(id) === undefined) {
      throw invalid(field.name, `there is no ${field.refers} with id ${id}`);
    }
  }
}

function expected(field: Settable): string {
  switch (field.type) {
    case 'integer':
      return 'an integer';
    case 'integers':
      return 'comma-separated integers';
    case 'date':
      return 'a date as YYYY-MM-DD';
    case 'double':
      return 'a number';
    case 'boolean':
      return "'t' or 'f'";
    default:
      return field.max === undefined ? 'a string' : `a string of at most ${field.max} characters`;
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
