/** A receiver's project in a temporary folder, with Tidings in its node_modules as npm would install it. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Project {
  readonly folder: string;
  /** Writes a file into the project and returns its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Installs only the files that `exports` names, so that a missing one is noticed. */
export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-project-'));
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('package.json', '{ "type": "module" }');
  const installed = join(folder, 'node_modules/tidings');
  for (const file of ['package.json', 'schema/events.d.ts']) cpSync(join(root, file), join(installed, file));
  execFileSync(process.execPath, [join(root, 'tools/build-kit.mjs'), join(installed, 'dist/kit')]);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
