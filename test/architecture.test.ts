/** Imports point one way. This walks all of them and names each that does not. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Which folders a folder may import from, besides itself. What is not listed may not be imported. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  bin: ['cli', 'runtime', 'lib'],
  cli: ['runtime', 'manage', 'adapters', 'core', 'simulator', 'kit'],
  functions: ['runtime', 'manage', 'adapters', 'core'],
  runtime: ['adapters', 'core'],
  manage: ['adapters', 'core'],
  adapters: ['core'],
  core: [],
  simulator: [],
  // What receivers copy into their own code.
  kit: [],
  console: [],
  // Names functions by path only: the CDK never enters a bundle.
  lib: ['runtime'],
  // Generators of committed files, and the build. Nothing imports them.
  tools: ['lib', 'runtime', 'adapters', 'core', 'kit'],
  bench: ['cli', 'lib', 'runtime', 'manage', 'adapters', 'core', 'simulator'],
};

/** Plain data that describes what is deployed: whoever deploys it may read it too. It imports nothing itself. */
const PLAIN_DATA = ['adapters/dynamodb/tables.ts'];

/** Inside core a room may use the rooms before it, never those after it. */
const CORE_ROOMS = [
  'model',
  'ports',
  'resources',
  'snapshot',
  'source',
  'subscriptions',
  'events',
  'messages',
  'delivery',
];

/** What core may use of Node and npm: pure computing, no file, network or process. */
const CORE_MODULES = ['node:crypto', 'node:zlib', 'entities', 'leven', 'liquidjs'];

interface Import {
  readonly file: string;
  readonly target: string;
  /** Gone when the program runs: types may describe each other. */
  readonly typeOnly: boolean;
}

const files = globSync(
  '{bin,cli,functions,runtime,manage,adapters,core,simulator,console,kit,lib,bench,tools}/**/*.ts',
  {
    cwd: root,
  },
);

/** Relative imports as paths from the root, packages as they are named. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|import\s+'([^']+)'/g,
  );
  return [...specifiers].map(([whole, a, b, c]) => {
    const specifier = a ?? b ?? c ?? '';
    const target = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    return { file, target, typeOnly: /^\s*(import|export)\s+type\s/.test(whole) };
  });
}

const imports = files.flatMap(importsOf);
const isOurs = ({ target }: Import) => target.includes('/') && MAY_IMPORT[folderOf(target)] !== undefined;
const folderOf = (path: string) => path.split('/')[0] ?? '';
const roomOf = (path: string) => CORE_ROOMS.indexOf(path.split('/')[1] ?? '');
const told = ({ file, target }: Import) => `${file} → ${target}`;

describe('architecture', () => {
  it('has imports to walk', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(imports.filter(isOurs).length).toBeGreaterThan(100);
  });

  it('lets each folder import only from those below it', () => {
    const wrong = imports
      .filter(isOurs)
      .filter(({ file, target }) => folderOf(file) !== folderOf(target) && !PLAIN_DATA.includes(target))
      .filter(({ file, target }) => MAY_IMPORT[folderOf(file)]?.includes(folderOf(target)) !== true);
    expect(wrong.map(told)).toEqual([]);
  });

  it('has plain data that imports nothing', () => {
    expect(PLAIN_DATA.filter((file) => !files.includes(file))).toEqual([]);
    expect(imports.filter(({ file }) => PLAIN_DATA.includes(file)).map(told)).toEqual([]);
  });

  it('knows every room of core, and lets none use a later one', () => {
    const inCore = imports.filter(({ file, target }) => folderOf(file) === 'core' && folderOf(target) === 'core');
    expect(inCore.filter(({ file }) => roomOf(file) === -1).map(told)).toEqual([]);
    expect(inCore.filter(({ file, target }) => roomOf(target) > roomOf(file)).map(told)).toEqual([]);
  });

  it('keeps core/model free of imports from other rooms, types included', () => {
    const outside = imports
      .filter(({ file }) => file.startsWith('core/model/'))
      .filter(({ target }) => !target.startsWith('core/model/') && target !== 'node:crypto');
    expect(outside.map(told)).toEqual([]);
  });

  it('keeps core pure: no network, files or process, no clock and no dice of its own', () => {
    const outside = imports
      .filter(({ file, target }) => folderOf(file) === 'core' && folderOf(target) !== 'core')
      .filter(({ target }) => !CORE_MODULES.includes(target));
    expect(outside.map(told)).toEqual([]);
    const impure = files
      .filter((file) => folderOf(file) === 'core')
      .filter((file) => /process\.|Date\.now\(|new Date\(\)|Math\.random/.test(readFileSync(join(root, file), 'utf8')));
    expect(impure).toEqual([]);
  });

  it('has no import that goes round in a circle', () => {
    const edges = new Map<string, string[]>();
    for (const { file, target } of imports.filter(isOurs).filter(({ typeOnly }) => !typeOnly))
      edges.set(file, [...(edges.get(file) ?? []), target]);
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, way: readonly string[]) => {
      if (way.includes(file)) circles.push([...way.slice(way.indexOf(file)), file].join(' → '));
      if (done.has(file) || way.includes(file)) return;
      for (const next of edges.get(file) ?? []) walk(next, [...way, file]);
      done.add(file);
    };
    for (const file of files) walk(file, []);
    expect(circles).toEqual([]);
  });

  it('has no folder that says nothing, and no file past 300 lines', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)\//.test(file))).toEqual([]);
    expect(files.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301)).toEqual([]);
  });
});
