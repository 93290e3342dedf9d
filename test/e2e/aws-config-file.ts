/** Writes configs for AWS to a temporary folder, which is deleted after the last test of the file. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { stringify } from 'yaml';

export const AWS_SOURCE = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };

/** Writes a config over the previous one and returns its path. */
export function configFolder(): { readonly folder: string; readonly configFile: (config: object) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-config-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tidings.yaml');
  return {
    folder,
    configFile: (config) => {
      writeFileSync(file, stringify(config));
      return file;
    },
  };
}
