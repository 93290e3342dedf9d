import { describe, expect, it } from 'vitest';
import { referencesIn, replaceReferences } from '../../../core/model/reference.ts';

describe('replaceReferences', () => {
  it.each([
    ['Bearer ${TOKEN}', 'Bearer <TOKEN>'],
    ['${A}${B}', '<A><B>'],
    ['${A', '${A'],
    ['}${A', '}${A'],
    ['${A}${B', '<A>${B'],
    ['${${A}}', '<${A>}'],
    ['${}', '<>'],
  ])('%s', (text, expected) => {
    expect(replaceReferences(text, (_, name) => `<${name}>`)).toBe(expected);
  });

  it('lists the names', () => {
    expect(referencesIn('a ${A} ${B} ${C')).toEqual(['A', 'B']);
  });
});
