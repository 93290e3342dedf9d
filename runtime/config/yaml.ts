/**
 * Parses YAML. Errors name the position and the likely fix. They never quote the text, which may contain a secret.
 */

import { type Document, parseDocument, visit, type YAMLError } from 'yaml';
import { ConfigError } from '../../core/model/errors.ts';

export function parseYaml(file: string, text: string): unknown {
  const document = readDocument(file, text);
  // Only the first error in the file: one stray brace can cause hundreds of follow-on errors.
  const [error] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  // The parser's message is about its own call stack.
  if (error?.code === 'RESOURCE_EXHAUSTION') throw nestingError(file);
  if (error !== undefined) throw positionError(file, text, error.pos[0], describeError(error, text));
  const position = findUnresolvedAlias(document);
  if (position !== undefined) throw positionError(file, text, position, `expected an anchor for this alias; ${STAR}`);
  return toTree(file, document);
}

/** Pretty errors would quote the line, which may contain a secret. */
function readDocument(file: string, text: string): Document {
  try {
    return parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    throw nestingError(file);
  }
}

function toTree(file: string, document: Document): unknown {
  try {
    const tree: unknown = document.toJS();
    // An alias inside its own anchor makes the tree circular. JSON.stringify throws on it.
    JSON.stringify(tree);
    return tree;
  } catch {
    throw nestingError(file);
  }
}

const nestingError = (file: string) =>
  new ConfigError(file, [
    { path: '', message: 'expected YAML of limited depth: an alias refers to itself, or the nesting is too deep' },
  ]);

function positionError(file: string, text: string, start: number, message: string): ConfigError {
  const lines = text.slice(0, start).split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  return new ConfigError(file, [{ path: `line ${lines.length}, column ${column}`, message }]);
}

const STAR = "text that begins with * needs quotes, such as '*' and '*.overdue'";
const COLUMNS = 'the keys of a section must start in the same column';

/** The likely cause, by the error's code. */
const HINTS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_ALIAS: STAR,
  BAD_INDENT: COLUMNS,
  BAD_SCALAR_START: 'put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'is the next line indented too far, or does text with a colon need quotes?',
  BLOCK_IN_FLOW: 'is a bracket or brace before it not closed?',
  MISSING_CHAR: 'is a bracket or quote before it not closed, or is the indentation wrong?',
  MULTILINE_IMPLICIT_KEY: COLUMNS,
  TAB_AS_INDENT: 'use spaces',
  UNEXPECTED_TOKEN: 'is a quote, comma, bracket or brace missing before it?',
};

function describeError({ code, message, pos: [start] }: YAMLError, text: string): string {
  const hint = isVariable(text, start) ? 'inside braces or brackets a variable needs quotes: "${NAME}"' : HINTS[code];
  return `expected YAML: ${message.replace(/: .*/s, '')}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Whether the unexpected brace belongs to `${NAME}` inside braces. */
const isVariable = (text: string, start: number) => text.slice(start - 1, start + 1) === '${';

/** The position of the first alias without an anchor. */
function findUnresolvedAlias(document: Document): number | undefined {
  let position: number | undefined;
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return undefined;
      position = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return position;
}
