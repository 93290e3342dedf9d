/** Configs for AWS as files, for commands that read one: a folder of a test file's own, gone after its last test. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { stringify } from 'yaml';

export const AWS_SOURCE = { baseUrl: 'https://work.example.com/api', token: 'ssm:/tidings/token' };

/** Writes a config and says where, in the place of the one before it. */
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
