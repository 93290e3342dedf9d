/** The commands that the demo prints run as they are printed: with npx from an installed package, and in a clone. */

import { expect, it } from 'vitest';
import { app, clone, run, stays } from './installed-package.ts';

/** Needs the installed package. */
export const demoCommandsSuite = () =>
  it.each([
    { by: 'npx', cwd: app, start: ['npx', 'tidings', 'demo'], prefix: 'npx tidings ' },
    { by: 'npm start', cwd: clone, start: ['npm', 'start', '-s', '--'], prefix: 'npm run -s tidings -- ' },
  ])('started with $by', async ({ cwd, start: [file = '', ...argv], prefix }) => {
    const demo = await stays(file, [...argv, '--pace', '20'], /✔ {2}task\.\w+ .*→ /, cwd);
    try {
      const lines = [...demo.output().matchAll(/^ {2}((?:npx|npm|tidings) .+?) {3}# /gm)].map(([, line = '']) => line);
      expect(lines).toHaveLength(5);
      for (const line of lines) {
        expect(line.startsWith(prefix)).toBe(true);
        const ended = await run('sh', ['-c', line], {}, cwd);
        expect([line, ended.code, ended.stderr]).toEqual([line, 0, expect.not.stringMatching(/error/i)]);
        expect([line, ended.stdout.trim() === '']).toEqual([line, false]);
      }
    } finally {
      await demo.stop();
    }
  });
