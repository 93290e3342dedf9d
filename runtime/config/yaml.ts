/**
 * Reads YAML, and says of text that is none where it goes wrong and what was likely meant. Of the text itself nothing is
 * shown: what stands there may be a secret.
 */

import { type Document, parseDocument, visit, type YAMLError } from 'yaml';
import { ConfigError } from '../../core/model/errors.ts';

export function parseYaml(file: string, text: string): unknown {
  const document = readDocument(file, text);
  // In their order. Only the first: what follows it are mostly its echoes, by the hundred after one brace.
  const [error] = document.errors.toSorted((one, other) => one.pos[0] - other.pos[0]);
  // The parser's message is about its own stack.
  if (error?.code === 'RESOURCE_EXHAUSTION') throw endless(file);
  if (error !== undefined) throw problemAt(file, text, error.pos[0], sayError(error, text));
  const stray = strayAlias(document);
  if (stray !== undefined) throw problemAt(file, text, stray, `expected an anchor for this alias; ${STAR}`);
  return treeOf(file, document);
}

/** Pretty errors quote the line, plain ones the word after a colon; either may be a secret. */
function readDocument(file: string, text: string): Document {
  try {
    return parseDocument(text, { prettyErrors: false, logLevel: 'error' });
  } catch {
    throw endless(file);
  }
}

function treeOf(file: string, document: Document): unknown {
  try {
    const tree: unknown = document.toJS();
    // An alias inside its own anchor makes a tree without an end: it could not be walked.
    JSON.stringify(tree);
    return tree;
  } catch {
    throw endless(file);
  }
}

const endless = (file: string) =>
  new ConfigError(file, [
    { path: '', message: 'expected YAML that ends: an alias leads into itself, or it is nested too deep' },
  ]);

function problemAt(file: string, text: string, start: number, message: string): ConfigError {
  const lines = text.slice(0, start).split('\n');
  const column = (lines.at(-1) ?? '').length + 1;
  return new ConfigError(file, [{ path: `line ${lines.length}, column ${column}`, message }]);
}

const STAR = "text that begins with * needs quotes, as '*' and '*.overdue' do";
const COLUMNS = 'keys of one section begin in the same column';

/** What people mean who write so, by the error's code. */
const HINTS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_ALIAS: STAR,
  BAD_INDENT: COLUMNS,
  BAD_SCALAR_START: 'put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'is the next line too far right, or does text with a colon lack its quotes?',
  BLOCK_IN_FLOW: 'is a bracket or brace before it not closed?',
  MISSING_CHAR: 'is something before it not closed, or is it in another column than its neighbours?',
  MULTILINE_IMPLICIT_KEY: COLUMNS,
  TAB_AS_INDENT: 'use spaces',
  UNEXPECTED_TOKEN: 'is a quote, a comma, a bracket or a brace before it missing?',
};

function sayError({ code, message, pos: [start] }: YAMLError, text: string): string {
  const hint = isVariable(text, start) ? 'between braces or brackets a variable needs quotes: "${NAME}"' : HINTS[code];
  return `expected YAML: ${message.replace(/: .*/s, '')}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Whether the unexpected brace belongs to `${NAME}` in a section in braces. */
const isVariable = (text: string, start: number) => text.slice(start - 1, start + 1) === '${';

/** Where the first alias stands that no anchor was set for. */
function strayAlias(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Alias(_, node) {
      if (node.resolve(document) !== undefined) return undefined;
      found = node.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return found;
}
