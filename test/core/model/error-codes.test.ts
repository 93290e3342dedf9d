import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  concernsSingleRecord,
  ERROR_CODES,
  endsCycle,
  isFailedScan,
  isForbidden,
  isOutOfQuota,
  isOwnFault,
  isSourceError,
  mayNeedSmallerPage,
  refusesToken,
  saysNothingOfReceiver,
} from '../../../core/model/error-codes.ts';
import { GiveUp } from '../../../core/model/errors.ts';

const TABLE = join('core', 'model', 'error-codes.ts');

/** Quoted names of environment variables. Two more are codes as well: TIDINGS_API_KEY and TIDINGS_API_URL. */
const VARIABLES = ['TIDINGS_CONFIG', 'TIDINGS_TOKEN'];

/** Declares the variables of the functions. */
const ENVIRONMENT = join('runtime', 'aws', 'environment.ts');

function codesInSources(): ReadonlySet<string> {
  const root = join(import.meta.dirname, '..', '..', '..');
  const folders = '{adapters,bench,cli,console,core,functions,kit,lib,manage,runtime,service,tools}';
  const files = globSync(`${folders}/**/*.{ts,tsx}`, { cwd: root });
  const texts = files
    .filter((file) => file !== TABLE && file !== ENVIRONMENT)
    .map((file) => readFileSync(join(root, file), 'utf8'));
  const codes = texts.flatMap((text) =>
    [...text.matchAll(/['"`](TIDINGS_[A-Z0-9_]+)\b/g)].map(([, code = '']) => code),
  );
  return new Set(codes.filter((code) => !VARIABLES.includes(code)));
}

const withFlag = (isFlagged: (code: string) => boolean) => Object.keys(ERROR_CODES).filter(isFlagged).sort();

describe('error codes', () => {
  it('lists every code that the sources use, and no other', () => {
    expect(Object.keys(ERROR_CODES).sort()).toEqual([...codesInSources()].sort());
  });

  it('does not compile a misspelled code', () => {
    // @ts-expect-error no such code
    expect(new GiveUp('TIDINGS_SOURCE_FORBIDEN', '').code).toBe('TIDINGS_SOURCE_FORBIDEN');
    // @ts-expect-error never equal
    expect(new GiveUp('TIDINGS_SOURCE_FORBIDDEN', '').code === 'TIDINGS_SOURCE_FORBIDEN').toBe(false);
  });

  it('has no flags for a code of another version', () => {
    for (const code of ['TIDINGS_NEVER_HEARD_OF', 'constructor', '']) {
      expect(
        [endsCycle, isOwnFault, isForbidden, isSourceError, saysNothingOfReceiver].map((has) => has(code)),
      ).toEqual(Array(5).fill(false));
      expect(isFailedScan(code)).toBe(true);
    }
  });

  it('ends the cycle on errors that every resource would meet', () => {
    expect(withFlag(endsCycle)).toEqual([
      'TIDINGS_SOURCE_BANNED',
      'TIDINGS_SOURCE_LEASE_LOST',
      'TIDINGS_SOURCE_OTHER_ACCOUNT',
      'TIDINGS_SOURCE_QUOTA_EXHAUSTED',
      'TIDINGS_SOURCE_QUOTA_RESERVED',
      'TIDINGS_SOURCE_TOO_FAST',
      'TIDINGS_SOURCE_UNAUTHORIZED',
      'TIDINGS_SOURCE_UNPAID',
      'TIDINGS_SOURCE_UNREACHABLE',
    ]);
  });

  it('separates the errors of a source', () => {
    expect(withFlag(isSourceError)).toEqual(withFlag((code) => code.startsWith('TIDINGS_SOURCE_')));
    expect(withFlag(refusesToken)).toEqual([
      'TIDINGS_SOURCE_BANNED',
      'TIDINGS_SOURCE_UNAUTHORIZED',
      'TIDINGS_SOURCE_UNPAID',
    ]);
    expect(withFlag(isOutOfQuota)).toEqual(['TIDINGS_SOURCE_QUOTA_EXHAUSTED', 'TIDINGS_SOURCE_QUOTA_RESERVED']);
    expect(withFlag((code) => !isFailedScan(code))).toEqual([
      'TIDINGS_SOURCE_QUOTA_EXHAUSTED',
      'TIDINGS_SOURCE_QUOTA_RESERVED',
      'TIDINGS_SOURCE_ROLE_CHANGED',
    ]);
    expect(withFlag(isForbidden)).toEqual(['TIDINGS_SOURCE_FORBIDDEN']);
    expect(withFlag(concernsSingleRecord)).toEqual([
      'TIDINGS_SOURCE_ANSWER_INVALID',
      'TIDINGS_SOURCE_CUT_OFF',
      'TIDINGS_SOURCE_STATUS',
    ]);
    expect(withFlag(mayNeedSmallerPage)).toEqual([
      'TIDINGS_SOURCE_ANSWER_INVALID',
      'TIDINGS_SOURCE_ANSWER_TOO_LARGE',
      'TIDINGS_SOURCE_CUT_OFF',
      'TIDINGS_SOURCE_STATUS',
      'TIDINGS_SOURCE_UNREACHABLE',
    ]);
  });

  it('blames no receiver for secrets and settings', () => {
    const codes = withFlag((code) => /^TIDINGS_(SECRET|SETTINGS)_/.test(code));
    expect(codes.length).toBeGreaterThan(5);
    expect(codes.filter((code) => !isOwnFault(code))).toEqual([]);
    expect(withFlag(saysNothingOfReceiver).filter(isOwnFault)).toEqual([]);
  });
});
