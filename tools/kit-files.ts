/**
 * Makes the kit's TypeScript into what a package can carry: JavaScript, because Node strips no types inside
 * node_modules, and declarations. Runs when files are generated, never in the product.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

const MADE_FROM = '// Made from verify.ts by `npm run generate`: edit that.\n\n';

export function kitFiles(): Readonly<Record<string, string>> {
  return {
    'kit/verify.js': MADE_FROM + plainJavaScript(readFileSync(join(root, 'kit/verify.ts'), 'utf8')),
    'kit/verify.d.ts': MADE_FROM + declarationsOf('verify'),
  };
}

/** The same code without its types, as a person would have written it: no gaps, no comments on what is gone. */
export function plainJavaScript(source: string): string {
  const before = source.split('\n');
  const kept: string[] = [];
  for (const [index, stripped] of stripTypeScriptTypes(source).split('\n').entries()) {
    const line = before[index] ?? '';
    if (stripped.trim() !== '') kept.push(stripped === line ? line : closeGaps(stripped, indentOf(line)));
    else if (line.trim() === '') pushBlank(kept);
    else dropComment(kept);
  }
  return kept.join('\n');
}

/** Types leave spaces behind. A text with two spaces in such a line would lose one: the source has none. */
function closeGaps(line: string, indent: string): string {
  const code = line
    .trim()
    .replaceAll(/ {2,}(?=[,;()])/g, '')
    .replaceAll(/ {2,}/g, ' ');
  return indent + code;
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}

function pushBlank(lines: string[]): void {
  if (lines.at(-1) !== '') lines.push('');
}

/** What stands right above a line that is gone spoke of it. */
function dropComment(lines: string[]): void {
  while (/^\s*(\/?\*|\/\/)/.test(lines.at(-1) ?? '')) lines.pop();
}

function declarationsOf(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-declarations-'));
  try {
    const emit = ['--ignoreConfig', '--declaration', '--emitDeclarationOnly', '--outDir', folder];
    const settings = ['--strict', '--target', 'es2024', '--module', 'nodenext', '--types', 'node'];
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, ...emit, ...settings, join(root, `kit/${name}.ts`)], { cwd: root });
    const text = readFileSync(join(folder, `${name}.d.ts`), 'utf8');
    return text
      .replaceAll(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2))
      .replaceAll(/(?<=[;}]\n)\/\*\*/g, '\n/**');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
