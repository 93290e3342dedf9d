import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resources } from '../../core/resources/catalogue.ts';
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

describe('docs/config.md', () => {
  const page = files['docs/config.md'] ?? '';
  const rows = [...page.matchAll(/^\| `([^`]+)` \| (.*?) \| (.*) \|$/gm)].map(([, option = '', fallback, meaning]) => ({
    option,
    fallback,
    meaning,
  }));

  it('has a default and a meaning for every option', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter(({ fallback, meaning }) => fallback?.trim() === '' || meaning?.trim() === '')).toEqual([]);
  });

  it('has the cadences of every resource, and every way to write a secret', () => {
    expect(page).toContain('| `task` | polled | `5m` | `6h` |');
    expect(page).toContain('| `payment` | off | `1h` | with each scan |');
    for (const { name } of resources) expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\| (polled|off) \\|`, 'm'));
    for (const option of ['every', 'sweep']) expect(page).toContain(`\`source.resources.*.${option}\``);
    for (const reference of ['${NAME}', 'file:PATH', 'ssm:/path', 'secret:name']) expect(page).toContain(reference);
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
