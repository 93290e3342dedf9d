import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { systemErrorCode } from '../../../core/model/errors.ts';

it('reads the code of an error of another realm, as in Jest', () => {
  const error: unknown = runInNewContext("Object.assign(new Error('no such file'), { code: 'ENOENT' })");
  expect(error).not.toBeInstanceOf(Error);
  expect(systemErrorCode(error)).toBe('ENOENT');
});

it.each([[undefined], [null], ['ENOENT'], [new Error('ENOENT')]])('reads no code of %s', (error) => {
  expect(systemErrorCode(error)).toBeUndefined();
});
