/** The config in the bundles of functions: packed at synthesis, unpacked without the schema. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../runtime/config/load.ts';
import { packConfig, unpackConfig } from '../../../runtime/config/packed.ts';
import { SECRET } from '../../samples.ts';

const examples = join(import.meta.dirname, '../../../examples');

/** Gives every variable a value that is valid where it is used. */
const goodFor = (name: string) =>
  name === 'MORNING' ? '08:30' : /URL|API|SLACK|HOOK/.test(name) ? 'https://hooks.example.com/x' : SECRET;
const environment = new Proxy<Record<string, string>>({}, { get: (_, name) => goodFor(String(name)) });

describe('a packed config', () => {
  it.each(['tidings.yaml', 'agency.yaml'])('round-trips unchanged: %s', (name) => {
    const config = parseConfig(name, readFileSync(join(examples, name), 'utf8'), environment);
    expect(unpackConfig(packConfig(config))).toEqual(config);
  });

  it('contains references to secrets, never their values', () => {
    const text = readFileSync(join(examples, 'agency.yaml'), 'utf8');
    const packed = packConfig(parseConfig('agency.yaml', text, environment));
    expect(packed).toContain('${');
    expect(packed).not.toContain(SECRET);
  });

  it.each([
    ['nothing', undefined],
    ['another text', 'source: {}'],
    ['another text', '{"source":{"token":"hunter2"}}'],
    ['another text', 'null'],
    ['another text', '{"packed":99,"config":{}}'],
  ])('is required: %s is rejected and not shown', (got, text) => {
    const unpack = () => unpackConfig(text);
    expect(unpack).toThrow(`TIDINGS_CONFIG: expected a config as packConfig writes it, got ${got}`);
    expect(unpack).not.toThrow(/hunter2/);
  });
});
