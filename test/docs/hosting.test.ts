/** The files for self-hosting: the systemd unit and the Containerfile. */

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DockerfileParser, type From } from 'dockerfile-ast';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const UNIT = read('examples/systemd/tidings.service');

describe('the systemd unit', () => {
  it('is hardened, keeps its data, and reloads on SIGHUP', () => {
    for (const line of ['DynamicUser=yes', 'StateDirectory=tidings', 'ProtectSystem=strict', 'NoNewPrivileges=yes'])
      expect(UNIT.split('\n')).toContain(line);
    expect(UNIT).toMatch(/^ExecReload=\/bin\/kill -HUP \$MAINPID$/m);
    expect(UNIT).toMatch(/^EnvironmentFile=-\/etc\/tidings\/\.env$/m);
  });

  it('uses options that serve has', () => {
    const [, line = ''] = /^ExecStart=\S+ serve (.*)$/m.exec(UNIT) ?? [];
    const options = line.match(/--\w+/g) ?? [];
    expect(options).toEqual(['--config', '--data', '--log']);
    const source = read('cli/serve.ts') + read('cli/options.ts');
    for (const option of options) expect(source).toContain(`${option} <`);
  });

  const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0;
  if (hasAnalyzer) {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'tidings-unit-'));
      // The command is not installed here, and verify looks for it.
      writeFileSync(join(folder, 'tidings.service'), UNIT.replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'));
    });
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    it('passes systemd-analyze verify', () => {
      const verified = spawnSync('systemd-analyze', ['verify', join(folder, 'tidings.service')], { encoding: 'utf8' });
      expect([verified.status, verified.stderr]).toEqual([0, '']);
    });

    it('has the exposure that the docs name, at most', () => {
      const [, noted = ''] = /exposure\s+level of (\d\.\d)/.exec(read('docs/self-hosting.md')) ?? [];
      const argv = ['security', '--offline=true', '--no-pager', join(folder, 'tidings.service')];
      const text = execFileSync('systemd-analyze', argv, { encoding: 'utf8' });
      const [, level = '9'] = /Overall exposure level for tidings.service: (\d\.\d)/.exec(text) ?? [];
      expect(Number(level)).toBeLessThanOrEqual(Number(noted));
    });
  }
});

describe('the Containerfile', () => {
  const file = DockerfileParser.parse(read('Containerfile'));
  const instructions = file.getInstructions().map((one) => ({
    keyword: one.getKeyword(),
    args: one.getArguments().map((arg) => arg.getValue()),
    text: one.getArgumentsContent() ?? '',
  }));
  const last = (keyword: string) => instructions.findLast((one) => one.keyword === keyword);

  it('has stages of the same Node as the project, and ends with one that has no build tools', () => {
    const stages = file.getFROMs().map((from: From) => [from.getImage(), from.getBuildStage()]);
    expect(stages).toEqual([
      ['node:24-slim', 'build'],
      ['node:24-slim', 'packages'],
      ['node:24-slim', null],
    ]);
    expect(JSON.parse(read('package.json')).devDependencies.node).toMatch(/^24\./);
    const final = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM'));
    expect(final.filter(({ text }) => text.includes('npm'))).toEqual([]);
  });

  it('runs as a user without rights, with a health check and a volume for the data', () => {
    expect(last('USER')?.args).toEqual(['node']);
    expect(last('VOLUME')?.args).toEqual(['/data']);
    expect(last('HEALTHCHECK')?.text).toContain('http://127.0.0.1:4020/health');
    expect(JSON.parse(last('ENTRYPOINT')?.text ?? '')).toEqual(['tidings']);
    const command: string[] = JSON.parse(last('CMD')?.text ?? '');
    expect(command.slice(0, 5)).toEqual(['serve', '--config', '/etc/tidings/tidings.yaml', '--data', '/data']);
  });

  it('copies files that exist, and everything that the command needs', () => {
    const ignored = read('.dockerignore').split('\n');
    const copied = instructions.filter(({ keyword }) => keyword === 'COPY').flatMap(({ args }) => args.slice(0, -1));
    const ours = copied.map((path) => path.replace(/^\/build\//, '')).filter((path) => !/^(\/app|\.$|--)/.test(path));
    // The build makes dist.
    const sources = ours.filter((path) => path !== 'dist');
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(sources.filter((path) => ignored.includes(path))).toEqual([]);
    expect(ours).toEqual(expect.arrayContaining(['package.json', 'bin/tidings.mjs', 'dist', 'schema', 'examples']));
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.tidings', '.git', 'node_modules']));
  });
});
