import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../runtime/config/load.ts';
import { generatedFiles } from '../../tools/generated-files.ts';

const root = join(import.meta.dirname, '../..');
const files = await generatedFiles();

describe('generated files', () => {
  it.each(Object.entries(files))('%s is up to date with `npm run generate`', (file, content) => {
    expect(readFileSync(join(root, file), 'utf8')).toBe(content);
  });

  it('include no schema of a removed event type', () => {
    const kept = globSync('schema/events/*', { cwd: root }).filter((file) => files[file] === undefined);
    expect(kept).toEqual([]);
  });
});

describe('the example config', () => {
  it('is valid, and names the schema for editors', () => {
    const file = join(root, 'examples/tidings.yaml');
    expect(loadConfig(file, {}).subscriptions).toHaveLength(1);
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    expect(readFileSync(join(root, 'examples', schema), 'utf8')).toContain('"title": "tidings.yaml"');
  });
});
