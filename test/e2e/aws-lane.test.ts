/** The lane `npm run test:aws` on a machine without Python: silence there would read as success. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

function runWithoutPython(environment: Readonly<Record<string, string>>) {
  const options = { cwd: root, env: { PATH: '/nowhere', ...environment }, encoding: 'utf8', timeout: 20_000 } as const;
  return spawnSync(process.execPath, ['test/aws/run.ts'], options);
}

describe('the AWS lane without Python', () => {
  it('says that nothing was tested, and is no failure on the machine of a person', () => {
    const { status, stderr } = runWithoutPython({});
    expect(stderr).toBe(
      'test:aws: did not run: it needs Python 3.10 or newer with its venv module (Debian: apt-get install python3 python3-venv); nothing was tested\n',
    );
    expect(status).toBe(0);
  });

  it('is a failure in CI, with or without an AWS of its own', () => {
    const environments: Record<string, string>[] = [
      { CI: 'true' },
      { CI: '1', AWS_ENDPOINT_URL: 'http://127.0.0.1:1' },
    ];
    for (const environment of environments) {
      const { status, stderr } = runWithoutPython(environment);
      expect(stderr).toMatch(/^test:aws: failed: it needs Python 3\.10/);
      expect(status).toBe(1);
    }
  });
});
