/** The installed package: packed, installed, its construct used in another app, its command run in a shell. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { memoize } from '../../core/model/memoize.ts';
import { loadConfigForAws } from '../../runtime/config/load.ts';
import { eventsDocument } from '../../tools/events-document.ts';
import { SECRET } from '../samples.ts';
import { demoCommandsSuite } from './demo-commands-suite.ts';
import {
  app,
  clone,
  command,
  installed,
  ours,
  type Packed,
  packAndInstall,
  root,
  run,
  scratch,
  stays,
} from './installed-package.ts';

const node = (...argv: string[]) => run(process.execPath, argv);
const tidings = (...argv: string[]) => run(command, argv);

let packed: Packed;
beforeAll(async () => {
  packed = await packAndInstall();
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('the tarball', () => {
  it('contains code, functions and docs, and nothing else', () => {
    const kinds = new Set(packed.files.map(({ path }) => path.split('/')[0]));
    expect([...kinds].sort()).toEqual(
      [
        ...['adapters', 'console', 'core', 'functions', 'manage', 'runtime'],
        ...['bin', 'dist', 'schema', 'docs', 'examples'],
        ...['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'],
      ].sort(),
    );
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => /^(bin|dist\/kit)\//.test(path)).sort()).toEqual([
      'bin/tidings.mjs',
      'dist/kit/client.d.ts',
      'dist/kit/client.js',
      'dist/kit/verify.d.ts',
      'dist/kit/verify.js',
    ]);
    expect(paths.filter((path) => /\.test\.|\.map$|\.log$|\.db$/.test(path))).toEqual([]);
  });

  it('contains no pictures, which docs show on the web, and is small', () => {
    expect(packed.files.filter(({ path }) => /\.(png|jpe?g|gif|webp)$/.test(path))).toEqual([]);
    expect(packed.files.some(({ path }) => path === 'docs/delivery.md')).toBe(true);
    expect(packed.size).toBeLessThan(4_000_000);
  });

  it('has types of the kind of the code: ES modules to import, CommonJS to require', () => {
    const kindOf = (file: string) => {
      for (let folder = dirname(join(installed, file)); ; folder = dirname(folder)) {
        const manifest = join(folder, 'package.json');
        if (existsSync(manifest)) return JSON.parse(readFileSync(manifest, 'utf8')).type ?? 'commonjs';
      }
    };
    const { import: imported, require: required } = ours.exports['./cdk'];
    expect([kindOf(imported.types), kindOf(required.types)]).toEqual(['module', 'commonjs']);
    expect([imported.default, required.default]).toEqual(['./dist/cdk.js', './dist/cdk.cjs']);
  });

  it('contains every file of its exports', () => {
    const named = JSON.stringify(ours.exports).match(/\.\/[^"*]+\.\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(4);
    expect(named.filter((file) => !existsSync(join(installed, file)))).toEqual([]);
  });

  it('contains all event schemas in one document, which is not part of the clone', () => {
    expect(readFileSync(join(installed, 'schema/events.json'), 'utf8')).toBe(eventsDocument());
  });

  it('has the manifest of a package: the Node it needs, no scripts, and no dependency with an install script', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest.engines).toEqual({ node: '>=24' });
    expect(manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    for (const key of ['private', 'scripts', 'devDependencies', 'overrides']) expect(manifest[key]).toBeUndefined();
    expect(manifest.dependencies).toEqual(ours.dependencies);
    // npm put the manifest of the clone back.
    expect(JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8'))).toEqual(ours);
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const withScripts = Object.entries<{ dev?: boolean; peer?: boolean; hasInstallScript?: boolean }>(packages)
      .filter(([path, { dev, peer, hasInstallScript }]) => path !== '' && hasInstallScript && !dev && !peer)
      .map(([path]) => path);
    expect(withScripts).toEqual([]);
  });

  it('loads tidings/cdk in CommonJS, as Jest does, without an ES module', async () => {
    const script = "console.log(require.resolve('tidings/cdk'), typeof require('tidings/cdk').TidingsStack);";
    const ended = await node('--no-experimental-require-module', '--input-type=commonjs', '-e', script);
    expect(ended).toEqual({ code: 0, stdout: expect.stringMatching(/dist\/cdk\.cjs function\n$/), stderr: '' });
  });

  it('exports tidings/verify for receivers, and tidings/client for callers of the API', async () => {
    const script =
      "import { verify } from 'tidings/verify'; import { TidingsClient } from 'tidings/client'; console.log(typeof verify, typeof TidingsClient);";
    const ended = await node('--input-type=module', '-e', script);
    expect(ended).toEqual({ code: 0, stdout: 'function function\n', stderr: '' });
  });

  it('imports only its dependencies; only the construct imports peer dependencies', () => {
    const files = readdirSync(join(installed, 'dist')).filter((file) => file.endsWith('.js'));
    const peers = Object.keys(ours.peerDependencies);
    const ofConstruct = reach('cdk.js');
    const wrong = files.flatMap((file) =>
      packagesOf(file).filter(
        (name) => ours.dependencies[name] === undefined && !(peers.includes(name) && ofConstruct.has(file)),
      ),
    );
    expect(wrong).toEqual([]);
    // No command loads the CDK, although both are built together and share modules.
    const ofCommands = reach('tidings.js', 'with what is loaded later');
    for (const file of files.filter((one) => peers.some((name) => packagesOf(one).includes(name)))) {
      expect(ofCommands).not.toContain(file);
    }
  });

  it('loads commands on demand', () => {
    expect(bundledIn('tidings.js')).toEqual(new Set(['commander']));
    expect(reach('tidings.js', 'with what is loaded later').size).toBeGreaterThan(reach('tidings.js').size + 18);
  });

  it('loads pages, mails, chats and the SDK only when they are used', () => {
    const files = readdirSync(join(installed, 'dist'));
    const onDemand = ['hono', 'sanitize-html', 'nodemailer', 'smtp-server', 'ws', 'prom-client', '@hono/node-server'];
    const [once = ''] = files.filter((file) => /^once-\w+\.js$/.test(file));
    expect(bundledIn(once)).toContain('undici');
    for (const name of onDemand) expect(bundledIn(once)).not.toContain(name);
    expect([...reach(once)].flatMap(packagesOf)).toEqual([]);
    const [serve = ''] = files.filter((file) => /^serve-\w+\.js$/.test(file));
    const atStart = [...reach(serve)].map((file) => readFileSync(join(installed, 'dist', file), 'utf8')).join('');
    expect(atStart).toContain('// manage/deferred-app.ts');
    expect(atStart).not.toMatch(/^\/\/ (console\/app\.tsx|manage\/api\/api-app\.ts|manage\/slack\/slack-app\.ts)$/m);
  });

  it('keeps the licences of the packages that are part of it', () => {
    const licences = readFileSync(join(installed, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    const bundled = new Set(readdirSync(join(installed, 'dist')).flatMap(packagesInside));
    expect(bundled.size).toBeGreaterThan(30);
    const named = new Set([...licences.matchAll(/^(\S+) \d+\.\d+\.\d+\S* \(/gm)].map(([, name = '']) => name));
    expect([...bundled].filter((name) => !named.has(name))).toEqual([]);
    expect(licences).toContain('Permission is hereby granted');
  });
});

const STATIC = /^(?:import|export)(?:\s[^;]*?from)?\s*"([^"]+)"/gm;
const LATER = /\bimport\("([^"]+)"\)/g;

const namesIn = (file: string, pattern: RegExp): readonly string[] =>
  [...readFileSync(join(installed, 'dist', file), 'utf8').matchAll(pattern)].map(([, name = '']) => name);

/** What a built file imports. Searched once: the files have megabytes, and most tests ask for all of them. */
const importsOf = memoize((file: string) => ({ static: namesIn(file, STATIC), later: namesIn(file, LATER) }));

/** `@scope/name` or `name` of all packages that a built file imports. */
function packagesOf(file: string): string[] {
  const names = [...importsOf(file).static, ...importsOf(file).later];
  const foreign = names.filter((name) => !name.startsWith('.') && !isBuiltin(name));
  return foreign.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
}

/** The packages that are part of a built file: esbuild names each source in a comment. */
function packagesInside(file: string): string[] {
  if (!file.endsWith('.js')) return [];
  const text = readFileSync(join(installed, 'dist', file), 'utf8');
  return [...text.matchAll(/^\s*\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name = '']) => name);
}

/** The packages that are loaded with a built file. */
const bundledIn = (file: string) => new Set([...reach(file)].flatMap(packagesInside));

/** The built files that one imports statically. */
function reach(from: string, also?: 'with what is loaded later'): Set<string> {
  const found = new Set([from]);
  for (const file of found) {
    const names = [...importsOf(file).static, ...(also === undefined ? [] : importsOf(file).later)];
    for (const name of names.filter((one) => one.startsWith('./'))) found.add(name.slice(2));
  }
  return found;
}

/** Like an app of `cdk init`. */
const COMMONJS_APP = `
import { App } from 'aws-cdk-lib';
import { TidingsStack } from 'tidings/cdk';
new TidingsStack(new App(), 'News', { config: 'tidings.yaml' });
`;

describe('the app of docs/aws.md', () => {
  const page = readFileSync(join(root, 'docs/aws.md'), 'utf8').split('\n## In an app of your own\n')[1] ?? '';
  const block = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';

  beforeAll(() => {
    writeFileSync(join(app, 'app.ts'), block('ts'));
    writeFileSync(join(app, 'app.cts'), COMMONJS_APP);
    writeFileSync(join(app, 'cdk.json'), block('json'));
  });

  it('has types that compile in a strict app', async () => {
    const settings = '--ignoreConfig --noEmit --strict --module nodenext --target es2024 --types node --skipLibCheck';
    const checked = await node(
      join(root, 'node_modules/typescript/bin/tsc'),
      ...settings.split(' '),
      'app.ts',
      'app.cts',
    );
    expect(checked.stdout).toBe('');
    expect(checked.code).toBe(0);
  });

  it('synthesizes the stack with the code of its six functions, under the name for --aws', async () => {
    const { app: start } = JSON.parse(block('json'));
    // app.test.ts validates the template.
    const made = await run('sh', ['-c', start], { CDK_OUTDIR: 'out', CDK_VALIDATION: 'false' });
    expect(made.stderr).not.toContain('Error');
    expect(made.code).toBe(0);
    const { Resources } = JSON.parse(readFileSync(join(app, 'out/News.template.json'), 'utf8'));
    const functions = Object.keys(Resources).filter((id) => /^Tidings\w+Function[0-9A-F]{8}$/.test(id));
    expect(functions).toHaveLength(6);
    const entries = readdirSync(join(app, 'out')).filter((name) => existsSync(join(app, 'out', name, 'index.mjs')));
    expect(entries).toHaveLength(6);
    // esbuild keeps `$or` and quotes of the config.
    const { text } = loadConfigForAws(join(app, 'tidings.yaml'), {});
    expect(text).toContain('"$or"');
    const literals = [`'${text}'`, JSON.stringify(text), `\`${text.replaceAll('${', '\\${')}\``];
    for (const entry of entries) {
      const bundle = join(app, 'out', entry, 'index.mjs');
      const code = readFileSync(bundle, 'utf8');
      expect(literals.some((literal) => code.includes(literal))).toBe(true);
      const { handler } = await import(bundle);
      expect(handler).toBeTypeOf('function');
    }
    expect(page).toContain('npx tidings status --aws News');
    expect(JSON.stringify(Resources)).toContain('"/tidings/News/stores"');
  });

  it('installs peer dependencies in supported versions', () => {
    const [, line = ''] = /^npm install (.*git\+https.*)$/m.exec(page) ?? [];
    const majors = Object.entries<string>(ours.peerDependencies).map(([name, range]) => {
      const [, version = ''] = /^\^(0\.\d+|[1-9]\d*)/.exec(range) ?? [];
      return `${name}@${version}`;
    });
    expect(line.split(' ').slice(0, -1).sort()).toEqual(majors.sort());
  });
});

describe('the command tidings, installed', () => {
  it('shows its version and all commands', async () => {
    expect(await tidings('--version')).toEqual({ code: 0, stdout: `${ours.version}\n`, stderr: '' });
    const table = readFileSync(join(root, 'cli/program.ts'), 'utf8').matchAll(/^ {2}'?([\w-]+)'?: async \(\) =>/gm);
    const names = [...table].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(17);
    const { stdout } = await tidings('--help');
    const listed = [...stdout.matchAll(/^ {2}([a-z-]+)(?= )/gm)].map(([, name]) => name);
    expect(listed).toEqual([...names, 'help']);
  });

  it.each([
    ['types', 'task.closed', 0],
    ['cost', 'DynamoDB writes', 0],
    ['events', 'no data in directory', 2],
    ['nonsense', "unknown command 'nonsense'", 2],
  ])('runs %s', async (name, words, code) => {
    const ended = await tidings(name);
    expect(ended.stdout + ended.stderr).toContain(words);
    expect(ended.code).toBe(code);
  });

  it('requests a stack in AWS, and reports why it fails', async () => {
    expect(await tidings('events', '--aws', 'News')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^tidings: --aws: no region/),
    });
    const unreachable = { AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const keys = { AWS_ACCESS_KEY_ID: 'none', AWS_SECRET_ACCESS_KEY: 'none' };
    const ended = await run(command, ['deliveries', '--aws', 'News'], { ...unreachable, ...keys });
    expect(ended.stderr).toMatch(/^tidings: --aws: \/tidings\/News\/stores in eu-central-1 could not be read/);
    expect(ended.code).toBe(1);
  });

  it('polls an account, serves it, listens, and tests an endpoint', async () => {
    const simulate = await stays(
      command,
      ['simulate', '--port', '0', '--tasks', '20'],
      /simulated at (\S+)[\s\S]*_sim/,
    );
    const listen = await stays(command, ['listen', '--port', '0', '--secret', SECRET], /listening on (\S+) /);
    const [, token] = /Administrator +(\w+)/.exec(simulate.output()) ?? [];
    const local = ['--config', 'local.yaml'];
    try {
      const answers = ['--url', simulate.found, '--token-env', 'WORK_TOKEN', '--receiver', listen.found];
      const made = await run(command, ['init', ...local, ...answers], { WORK_TOKEN: token });
      expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/wrote local\.yaml[\s\S]*✔ {2}webhook/) });
      const written = readFileSync(join(app, 'local.yaml'), 'utf8');
      const [, schema = ''] = /\$schema=(.*)/.exec(written) ?? [];
      expect([schema, existsSync(join(app, schema))]).toEqual([
        'node_modules/tidings/schema/tidings.schema.json',
        true,
      ]);
      writeFileSync(join(app, 'local.yaml'), written.replace('source:', 'source:\n  announceExisting: true'));
      // The receiver knows another secret.
      writeFileSync(join(app, '.env'), `WORK_TOKEN=${token}\nWEBHOOK_SECRET=${SECRET}\n`);
      expect((await tidings('check', ...local)).stdout).toContain('✔  webhook');
      expect(await tidings('once', ...local)).toEqual({
        code: 0,
        stdout: expect.stringMatching(/[1-9]\d* delivered, 0 to be retried, 0 failed/),
        stderr: '',
      });
      await vi.waitFor(() => expect(listen.output()).toMatch(/✔ .*evt_/), { timeout: 90_000 });
      expect((await tidings('events')).stdout).toContain('task.overdue');
      const render = await tidings('render', ...local, '--subscription', 'webhook', '--type', 'task.closed');
      expect(render).toMatchObject({ code: 0, stdout: expect.stringContaining('task.closed') });
      expect((await tidings('exam', listen.found, '--secret', SECRET)).code).toBe(0);
      const serve = await stays(command, ['serve', ...local, '--port', '0'], /health +(\S+)/);
      expect((await fetch(serve.found)).headers.get('content-type')).toContain('json');
      expect(await serve.stop()).toBe(0);
    } finally {
      expect(await Promise.all([simulate.stop(), listen.stop('SIGINT')])).toEqual([0, 0]);
    }
  });

  it('runs the demo with the example of the package', async () => {
    const demo = await stays(command, ['demo', '--pace', '20'], /✔ {2}task\.\w+ .*→ /);
    expect(demo.output()).toContain('examples/agency.yaml');
    expect(await demo.stop()).toBe(0);
  });
});

/** Makes a process report an old Node version. Its child processes report the real one. */
const OLD_NODE = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.11.0' } });";

describe('the commands that the demo prints', demoCommandsSuite);

describe('an older Node', () => {
  const beside = join(app, 'node_modules/node');
  const old = ['--import', `data:text/javascript,${encodeURIComponent(OLD_NODE)}`, command];
  afterAll(() => rmSync(beside, { recursive: true, force: true }));

  /** The installed npm package `node`: a manifest, and a binary if its install script ran. */
  function install(version: string, binary?: string): void {
    rmSync(beside, { recursive: true, force: true });
    mkdirSync(join(beside, 'bin'), { recursive: true });
    writeFileSync(join(beside, 'package.json'), JSON.stringify({ name: 'node', version, bin: { node: 'bin/node' } }));
    if (binary !== undefined) symlinkSync(binary, join(beside, 'bin/node'));
  }

  it.each([
    ['none is installed beside it', () => rmSync(beside, { recursive: true, force: true })],
    ['the one beside it is old as well', () => install('22.20.0', process.execPath)],
    ['the one beside it has no binary', () => install('24.21.0')],
  ])('reports the required version when %s', async (_, prepare) => {
    prepare();
    const ended = await node(...old, '--version');
    expect(ended.stderr).toContain('tidings requires Node 24 or newer, but this is Node 20.11.0');
    expect(ended.stderr).toContain('npm install node@24');
    expect([ended.code, ended.stdout]).toEqual([2, '']);
  });

  // A name that it lacks is a syntax error, before any line of the file runs.
  it.each(['bin/node-version.mjs', 'bin/tidings.mjs', 'tools/prepare.mjs'])('has all names that %s imports', (file) => {
    const inNode20 = ['createRequire', 'dirname', 'existsSync', 'fileURLToPath', 'join', 'readFileSync', 'spawnSync'];
    const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    const imports = [...source.matchAll(/^import \{(?<names>[^}]*)\} from 'node:/gm)];
    const names = imports.flatMap(({ groups }) => (groups?.names ?? '').split(',').map((name) => name.trim()));
    expect(names.length).toBeGreaterThan(0);
    expect(inNode20).toEqual(expect.arrayContaining(names));
  });

  it('starts the installed Node, with its output, exit code and signals', async () => {
    install('24.21.0', process.execPath);
    expect((await node(...old, '--version')).stdout).toBe(`${ours.version}\n`);
    expect((await node(...old, 'nonsense')).code).toBe(2);
    const argv = [...old, 'listen', '--port', '0', '--secret', SECRET];
    const listen = await stays(process.execPath, argv, /listening on/);
    expect(await listen.stop()).toBe(0);
    expect(listen.output()).toContain('stopped: 0 received');
  });
});

describe('npm’s prepare', () => {
  const dist = join(clone, 'dist');
  const prepare = (from: string) => run('node', ['tools/prepare.mjs'], { INIT_CWD: from }, clone);
  const nothing = { code: 0, stdout: '', stderr: '' };

  it('builds for an installation from git, but not for npm ci in a clone', async () => {
    expect(ours.scripts.prepare).toBe('node tools/prepare.mjs');
    rmSync(dist, { recursive: true });
    // Packing has run the build itself.
    const build = "import { mkdirSync } from 'node:fs'; mkdirSync('dist');";
    writeFileSync(join(clone, 'tools/build.mjs'), build);
    expect(await prepare(clone)).toEqual(nothing);
    expect(existsSync(dist)).toBe(false);
    expect(await prepare(app)).toEqual(nothing);
    expect(existsSync(dist)).toBe(true);
  });

  it('does nothing without the build tools, and the command then reports that it is not built', async () => {
    rmSync(dist, { recursive: true, force: true });
    rmSync(join(clone, 'node_modules'));
    expect(await prepare(app)).toEqual(nothing);
    const ended = await run(process.execPath, [join(clone, 'bin/tidings.mjs'), '--version']);
    expect(ended.stderr).toContain('tidings is not built');
    expect(ended.code).toBe(2);
  });
});
