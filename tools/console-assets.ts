/**
 * Generates console/assets.ts: the style sheet and the script of the console, compiled and minified, as text. Both modes serve
 * them from memory, so that neither a bundle nor a package has files beside its code.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

const folder = join(import.meta.dirname, '..', 'console');

export function generateConsoleAssets(): string {
  const style = minify('style.css');
  const script = minify('client/client.ts');
  const icon = readFileSync(join(folder, 'icon.svg'), 'utf8').trim();
  return [
    '/** Generated from style.css, client/client.ts and icon.svg by npm run generate. Do not edit. */',
    '',
    `export const STYLE_PATH = '/style-${digest(style)}.css';`,
    `export const SCRIPT_PATH = '/script-${digest(script)}.js';`,
    '',
    'export interface Asset {',
    '  readonly path: string;',
    '  readonly type: string;',
    '  readonly text: string;',
    '}',
    '',
    'export const ASSETS: readonly Asset[] = [',
    `  { path: STYLE_PATH, type: 'text/css; charset=utf-8', text: ${JSON.stringify(style)} },`,
    `  { path: SCRIPT_PATH, type: 'text/javascript; charset=utf-8', text: ${JSON.stringify(script)} },`,
    `  { path: '/icon.svg', type: 'image/svg+xml', text: ${JSON.stringify(icon)} },`,
    '];',
    '',
  ].join('\n');
}

function minify(file: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome120', 'firefox120', 'safari17'],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'error',
  });
  return outputFiles[0]?.text.trim() ?? '';
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
