import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorMessage } from '../../../core/model/errors.ts';
import { findEnvProblems, formatEnvLine, withEnvFile } from '../../../runtime/config/env-file.ts';
import { loadConfig, loadConfigForAws } from '../../../runtime/config/load.ts';

let folder: string;
const config = () => join(folder, 'tidings.json');
const env = () => join(folder, '.env');

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidings-env-'));
});
beforeEach(() => rmSync(env(), { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function errorOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return errorMessage(error);
  }
  throw new Error('expected an error');
}

describe('withEnvFile', () => {
  it('adds the variables of .env beside the config; those of the environment have priority, unless empty', () => {
    writeFileSync(env(), 'A=file\nB=file # comment\nexport C="x y"\nD=\'#1\'\n');
    expect(withEnvFile(config(), { B: 'process', D: '', E: 'process' })).toEqual({
      A: 'file',
      B: 'process',
      C: 'x y',
      D: '#1',
      E: 'process',
    });
  });

  it.each([
    ['there is none', () => {}],
    ['it is a folder', () => mkdirSync(env())],
  ])('adds nothing if %s', (_, prepare) => {
    prepare();
    expect(withEnvFile(config(), { A: '1' })).toEqual({ A: '1' });
  });

  it('accepts a byte order mark and Windows line ends', () => {
    writeFileSync(env(), '\uFEFFA=1\r\nB="2"\r\n');
    expect(withEnvFile(config(), {})).toEqual({ A: '1', B: '2' });
  });

  it('names the file and the line of every mistake, and no value', () => {
    writeFileSync(env(), 'A=1\nexport hunter2\n\n# fine\nB: hunter2\nC="hunter2\nD=2\n');
    expect(errorOf(() => withEnvFile(config(), {}))).toBe(
      `${env()}: 3 problems\n  line 2: expected NAME=value, a comment or an empty line\n` +
        '  line 5: expected NAME=value, a comment or an empty line\n  line 6: expected a closing " after the value',
    );
  });
});

describe('findEnvProblems', () => {
  it.each([
    ['A="one\ntwo"\nB=1', []],
    ["A='it' # note", []],
    ['A="x" y', ['line 1: expected nothing after the closing " of the value']],
    // Node would read A as all up to the next quote, and lose B.
    ['A="x\nB="y"', ['line 1: expected nothing after the closing " of the value']],
    ['A="one\ntwo"\nnonsense', ['line 3: expected NAME=value, a comment or an empty line']],
  ])('finds in %j: %j', (text, expected) => {
    expect(findEnvProblems(text).map(({ path, message }) => `${path}: ${message}`)).toEqual(expected);
  });
});

it('what formatEnvLine writes, Node reads back', () => {
  const value = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('a', '#', ' ', "'", '"', '`', '\\', 'n', '$') }),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (values) => {
      const lines = values.map((one, index) => formatEnvLine(`V${index}`, one));
      const text = lines.filter((line) => line !== undefined).join('\n');
      const expected = values.flatMap((one, index) => (lines[index] === undefined ? [] : [[`V${index}`, one]]));
      expect(findEnvProblems(text)).toEqual([]);
      expect({ ...parseEnv(text) }).toEqual(Object.fromEntries(expected));
    }),
  );
});

describe('a config with variables that are not set', () => {
  const source = { baseUrl: '${HOST}', token: 'ssm:/token' };

  it.each([
    ['which does not exist', () => {}, ', which does not exist'],
    ['which exists', () => writeFileSync(env(), 'OTHER=1'), ''],
    ['which cannot be read', () => mkdirSync(env()), ', which this user cannot read as a file'],
  ])('names the .env that was read, %s', (_, prepare, end) => {
    prepare();
    writeFileSync(config(), JSON.stringify({ source }));
    const hint = `variables are read from the environment and from ${env()}${end}`;
    expect(errorOf(() => loadConfigForAws(config(), {}))).toContain(hint);
    expect(errorOf(() => loadConfig(config(), {}))).toContain(hint);
  });
});
