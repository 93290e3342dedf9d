/** The fields of a form as the browser sends them: texts by name. */

import { isNestedDeeper } from '../core/model/json.ts';
import type { FieldError } from '../manage/api/http/problem.ts';

export type FormText = ReadonlyMap<string, string>;

/** Without spaces around it; undefined if there is nothing else. */
export function textOf(form: FormText, name: string): string | undefined {
  const text = (form.get(name) ?? '').trim();
  return text === '' ? undefined : text;
}

/** The values of check boxes with the same name. */
export function linesOf(form: FormText, name: string): readonly string[] {
  return (form.get(name) ?? '').split('\n').filter((line) => line !== '');
}

/** Whether both forms have the same texts in these fields. Browsers send line breaks as CR LF, and boxes in the order of the page. */
export function isSameText(one: FormText, other: FormText, names: readonly string[]): boolean {
  return names.every((name) => normalize(one.get(name)) === normalize(other.get(name)));
}

function normalize(text = ''): string {
  return text.replaceAll('\r\n', '\n');
}

/** As many as a request to the API may have. */
const MAX_NESTING = 64;

export function parseJson(text: string, pointer: string, errors: FieldError[]): unknown {
  try {
    const value: unknown = JSON.parse(text);
    if (!isNestedDeeper(value, MAX_NESTING)) return value;
    errors.push({ pointer, detail: `expected at most ${MAX_NESTING} levels of brackets and braces` });
  } catch {
    errors.push({ pointer, detail: 'this is no JSON: is a quote, comma, bracket or brace missing?' });
  }
  return undefined;
}

export function withoutAbsent(section: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined));
}
