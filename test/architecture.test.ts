/** Imports point one way. Checks all of them and lists each violation. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

/** The folders that a folder may import from, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  bin: ['cli', 'runtime', 'lib'],
  cli: ['service', 'runtime', 'manage', 'console', 'adapters', 'core', 'simulator', 'kit'],
  // The twin of functions: one process instead of several.
  service: ['runtime', 'manage', 'console', 'adapters', 'core'],
  functions: ['runtime', 'manage', 'console', 'adapters', 'core'],
  runtime: ['adapters', 'core'],
  // Not runtime/embedded or runtime/aws, see below.
  manage: ['runtime', 'adapters', 'core'],
  adapters: ['core'],
  core: [],
  simulator: [],
  // Receivers copy it into their own code.
  kit: [],
  // The management API's functions and types. Not the stores or modes: see below.
  console: ['manage', 'runtime', 'adapters', 'core'],
  // Refers to functions by path only, so that no bundle contains the CDK.
  lib: ['runtime'],
  // Generators of committed files, and the build. Nothing imports them.
  tools: ['lib', 'runtime', 'manage', 'adapters', 'core', 'kit'],
  bench: ['cli', 'service', 'functions', 'lib', 'runtime', 'manage', 'console', 'adapters', 'core', 'simulator'],
};

/** One file for those who use it, with the names of the API. */
const GENERATED = ['kit/client.ts'];

/** Plain data that describes the deployment. lib/ may import it; it imports nothing itself. */
const PLAIN_DATA = ['adapters/dynamodb/tables.ts'];

/** A folder of core may import from the folders before it in this list, never from later ones. */
const CORE_FOLDERS = [
  'model',
  'ports',
  'resources',
  'snapshot',
  'source',
  'filters',
  'events',
  'messages',
  'delivery',
  'subscriptions',
];

/** Node modules and packages that core may use: pure computation, no files, network or processes. `node:vm` ends what takes too long. */
const CORE_MODULES = ['node:crypto', 'node:vm', 'node:zlib', 'entities', 'leven', 'liquidjs'];

interface Import {
  readonly file: string;
  readonly target: string;
}

const files = globSync(
  '{bin,cli,service,functions,runtime,manage,adapters,core,simulator,console,kit,lib,bench,tools}/**/*.{ts,tsx}',
  {
    cwd: root,
  },
);

/** Relative imports as paths from the root, packages by name. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\('([^']+)'\)|import\s+'([^']+)'/g,
  );
  return [...specifiers].map(([, a, b, c]) => {
    const specifier = a ?? b ?? c ?? '';
    const target = specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
    return { file, target };
  });
}

const imports = files.flatMap(importsOf);
const isOurs = ({ target }: Import) => target.includes('/') && MAY_IMPORT[folderOf(target)] !== undefined;
const folderOf = (path: string) => path.split('/')[0] ?? '';
const folderIndex = (path: string) => CORE_FOLDERS.indexOf(path.split('/')[1] ?? '');
const describeImport = ({ file, target }: Import) => `${file} → ${target}`;

describe('architecture', () => {
  it('finds imports to check', () => {
    expect(files.length).toBeGreaterThan(40);
    expect(imports.filter(isOurs).length).toBeGreaterThan(100);
  });

  it('allows each folder to import only from those below it', () => {
    const wrong = imports
      .filter(isOurs)
      .filter(({ file, target }) => folderOf(file) !== folderOf(target) && !PLAIN_DATA.includes(target))
      .filter(({ file, target }) => MAY_IMPORT[folderOf(file)]?.includes(folderOf(target)) !== true);
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('keeps the management API independent of the mode it runs in', () => {
    const wrong = imports
      .filter(({ file }) => folderOf(file) === 'manage')
      .filter(({ target }) => /^runtime\/(embedded|aws)\//.test(target));
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('keeps the console on top of the management API: no mode, and no adapter but the list of channels', () => {
    const wrong = imports
      .filter(({ file }) => folderOf(file) === 'console')
      .filter(({ target }) =>
        /^(runtime\/(embedded|aws)|adapters\/(?!channels\/(?:registry|channel-form)))/.test(target),
      );
    expect(wrong.map(describeImport)).toEqual([]);
  });

  it('has plain data that imports nothing', () => {
    expect(PLAIN_DATA.filter((file) => !files.includes(file))).toEqual([]);
    expect(imports.filter(({ file }) => PLAIN_DATA.includes(file)).map(describeImport)).toEqual([]);
  });

  it('knows every folder of core, and allows none to import from a later one', () => {
    const inCore = imports.filter(({ file, target }) => folderOf(file) === 'core' && folderOf(target) === 'core');
    expect(inCore.filter(({ file }) => folderIndex(file) === -1).map(describeImport)).toEqual([]);
    expect(inCore.filter(({ file, target }) => folderIndex(target) > folderIndex(file)).map(describeImport)).toEqual(
      [],
    );
  });

  it('keeps core/model free of imports from other folders, types included', () => {
    const outside = imports
      .filter(({ file }) => file.startsWith('core/model/'))
      .filter(({ target }) => !target.startsWith('core/model/') && target !== 'node:crypto');
    expect(outside.map(describeImport)).toEqual([]);
  });

  it('keeps core pure: no network, files, processes, clock or randomness', () => {
    const outside = imports
      .filter(({ file, target }) => folderOf(file) === 'core' && folderOf(target) !== 'core')
      .filter(({ target }) => !CORE_MODULES.includes(target));
    expect(outside.map(describeImport)).toEqual([]);
    const impure = files
      .filter((file) => folderOf(file) === 'core')
      .filter((file) => /process\.|Date\.now\(|new Date\(\)|Math\.random/.test(readFileSync(join(root, file), 'utf8')));
    expect(impure).toEqual([]);
  });

  it('changes subscriptions and their health through the verbs of core/subscriptions only', () => {
    // Other files of cli/ know only the interface in cli/backend.
    const outside = files.filter((file) => /^(cli\/backend|service|functions|runtime|manage|console)\//.test(file));
    const calls =
      /\bsubscriptions\.(add|save|update|remove|applyDeclared)\(|\bstore\.(save|applyDeclared)\(|\bchangeHealth\(/;
    expect(outside.filter((file) => calls.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });

  it('has no circular imports, not even of types', () => {
    const edges = new Map<string, string[]>();
    for (const { file, target } of imports.filter(isOurs)) edges.set(file, [...(edges.get(file) ?? []), target]);
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

  it('exports each name from one file only, so that one name means one thing', () => {
    // Lambda looks for `handler` in each function.
    const exported = files
      .filter((file) => !/^(simulator|functions)\//.test(file) && !GENERATED.includes(file))
      .flatMap((file) => {
        const text = readFileSync(join(root, file), 'utf8');
        const found = text.matchAll(/^export (?:async )?(?:function|const|interface|type|class) (\w+)/gm);
        return [...new Set([...found].map(([, name = '']) => name))].map((name) => ({ name, file }));
      });
    const byName = Map.groupBy(exported, ({ name }) => name);
    const repeated = [...byName].filter(([, places]) => places.length > 1);
    expect(repeated.map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`)).toEqual([]);
  });

  it('has no folder with a generic name, and no file over 300 lines', () => {
    expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)\//.test(file))).toEqual([]);
    const written = files.filter((file) => !GENERATED.includes(file));
    expect(written.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301)).toEqual([]);
  });
});
