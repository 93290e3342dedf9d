/**
 * Reads a value part by part: an invalid part is reported and missing, and hides no problem of the others. The valid parts can
 * then be checked further.
 */

import * as z from 'zod';
import type { ValidParts } from '../../adapters/channels/definition.ts';
import type { ConfigProblem } from '../../core/model/errors.ts';
import { describeIssues, type Path, pathText, suggestKey } from './problems.ts';
import { isConfigSection } from './values.ts';

export interface ReadValue<T> {
  /** Undefined if a part is invalid. */
  readonly whole?: T;
  /** Undefined if nothing of it is valid. */
  readonly parts?: ValidParts<T>;
  readonly problems: readonly ConfigProblem[];
  /** Whether the value at a path is invalid or missing by a misspelled key, or is part of one that is. */
  isInvalid(path: string): boolean;
  /** Whether nothing at a path is invalid, its parts included. */
  isValid(path: string): boolean;
}

interface ReadOptions {
  /** As written in the file, for messages. */
  readonly raw: unknown;
  /** The path of the value in the schema of a config. @default - it is a config */
  readonly within?: Path;
}

export function readParts<Schema extends z.ZodType>(
  schema: Schema,
  tree: unknown,
  { raw, within = [] }: ReadOptions,
): ReadValue<z.output<Schema>> {
  // A config is parsed once: compiling a parser for it would take longer.
  const parsed = schema.safeParse(tree, { jitless: true });
  if (parsed.success) {
    // A valid value has all its parts.
    const parts = parsed.data as ValidParts<z.output<Schema>>;
    return { whole: parsed.data, parts, problems: [], isInvalid: () => false, isValid: () => true };
  }
  const { issues } = parsed.error;
  const invalid = issues.flatMap((issue) => invalidPaths(issue, within)).map(pathText);
  const isInvalid = (path: string) => invalid.some((one) => isWithin(path, one));
  return {
    parts: validPartsOf(schema, tree) as ValidParts<z.output<Schema>> | undefined,
    problems: describeIssues(issues, raw, within),
    isInvalid,
    isValid: (path) => !isInvalid(path) && !invalid.some((one) => isWithin(one, path)),
  };
}

/** A misspelled key stands for the one that was probably meant. An issue of the whole value says nothing about its parts. */
function invalidPaths(issue: z.core.$ZodIssue, within: Path): readonly Path[] {
  if (issue.code !== 'unrecognized_keys') return issue.path.length === 0 ? [] : [issue.path];
  return issue.keys.flatMap((key) => {
    const path = [...issue.path, key];
    const suggested = suggestKey([...within, ...path]);
    return suggested === undefined ? [path] : [path, [...issue.path, suggested]];
  });
}

const isWithin = (path: string, other: string) =>
  path === other || path.startsWith(`${other}.`) || path.startsWith(`${other}[`);

/** Undefined if nothing is valid. An item of a list that is not valid is undefined, so that the others keep their index. */
function validPartsOf(schema: unknown, tree: unknown): unknown {
  if (!(schema instanceof z.ZodType)) return undefined;
  const parsed = schema.safeParse(tree, { jitless: true });
  if (parsed.success) return parsed.data;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodPrefault) return validPartsOf(schema.unwrap(), tree);
  // The transform of a section only narrows its type.
  if (schema instanceof z.ZodPipe) return isConfigSection(tree) ? validPartsOf(schema.in, tree) : undefined;
  if (schema instanceof z.ZodArray) {
    return Array.isArray(tree) ? tree.map((item) => validPartsOf(schema.element, item)) : undefined;
  }
  if (!isConfigSection(tree)) return undefined;
  if (schema instanceof z.ZodObject) {
    return definedEntries(Object.entries(schema.shape), ([key, part]) => [key, validPartsOf(part, tree[key])]);
  }
  if (schema instanceof z.ZodRecord) {
    return definedEntries(Object.entries(tree), ([key, item]) => [key, validPartsOf(schema.valueType, item)]);
  }
  return undefined;
}

function definedEntries<T>(items: readonly T[], entry: (item: T) => readonly [string, unknown]): object {
  return Object.fromEntries(items.map(entry).filter(([, value]) => value !== undefined));
}
