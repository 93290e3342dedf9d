/** A project of somebody else's, with Tidings among its modules as npm would put it there. */

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

export interface Project {
  readonly folder: string;
  /** Writes a file into it and gives back its path. */
  write(name: string, text: string): string;
  remove(): void;
}

/** Only what `exports` names: whatever else a file needed would be missed. */
export function createProject(): Project {
  const folder = mkdtempSync(join(tmpdir(), 'tidings-project-'));
  const write = (name: string, text: string) => {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  write('package.json', '{ "type": "module" }');
  for (const file of ['package.json', 'kit/verify.js', 'kit/verify.d.ts', 'schema/events.d.ts']) {
    cpSync(join(root, file), join(folder, 'node_modules/tidings', file));
  }
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
