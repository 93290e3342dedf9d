/** Values of which some parts are valid. */

import { describe, expect, it } from 'vitest';
import { readParts } from '../../../runtime/config/read-parts.ts';
import { sectionsSchema } from '../../../runtime/config/schema.ts';

const source = { baseUrl: 'https://work.example.com/api', token: 'tok-7f3a' };
const read = (raw: unknown) => readParts(sectionsSchema, raw, { raw });

describe('readParts', () => {
  it('returns a valid value as a whole, with its defaults', () => {
    const { whole, parts, problems, isValid } = read({ source });
    expect(whole?.network).toEqual({ allowHttp: false, allow: [] });
    expect([parts === whole, problems, isValid('network')]).toEqual([true, [], true]);
  });

  it('leaves out the invalid parts, and items of lists keep their index', () => {
    const { whole, parts } = read({
      sources: [5, { ...source, timeZone: 7, quota: { reserve: 'x', perMinute: 60 } }],
      links: { task: '', invoice: 'https://work.example.com/{id}' },
      retention: '0d',
      network: { allow: ['10.0.0.0/8', null] },
    });
    expect(whole).toBeUndefined();
    expect(parts?.sources?.[0]).toBeUndefined();
    expect(parts?.sources?.[1]).toMatchObject({ name: 'main', token: 'tok-7f3a', quota: { perMinute: 60 } });
    expect(parts?.sources?.[1]).not.toHaveProperty('timeZone');
    expect(parts?.links).toEqual({ invoice: 'https://work.example.com/{id}' });
    expect(parts).not.toHaveProperty('retention');
    expect(parts?.network).toEqual({ allowHttp: false, allow: ['10.0.0.0/8', undefined] });
  });

  it('knows nothing about an invalid value, the parts of it, and what a misspelled key was meant to be', () => {
    const { isInvalid, isValid } = read({ source, mail: 5, network: { allowHtp: true }, manage: { secret: 5 } });
    expect(['mail', 'mail.from', 'network.allowHtp', 'network.allowHttp', 'manage.secret'].filter(isInvalid)).toEqual([
      'mail',
      'mail.from',
      'network.allowHtp',
      'network.allowHttp',
      'manage.secret',
    ]);
    expect(['network', 'network.allow', 'manage', 'manage.url', 'source'].filter(isInvalid)).toEqual([]);
    expect(['network', 'network.allow', 'manage', 'manage.url', 'source'].filter(isValid)).toEqual([
      'network.allow',
      'manage.url',
      'source',
    ]);
  });

  it('knows the sections of a config that lacks a source', () => {
    const { parts, problems, isInvalid } = read({ retention: '30d' });
    expect(problems.map(({ path }) => path)).toEqual(['']);
    expect([parts?.retention, isInvalid('retention')]).toEqual([30 * 86_400_000, false]);
  });

  it('finds no part in a value of another kind', () => {
    for (const value of [null, 5, 'x', []]) expect(read(value).parts).toBeUndefined();
  });
});
