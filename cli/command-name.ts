/** How the command was started, so that a suggested command can be copied: in a clone, by npx, or installed. */

import type { Context } from './context.ts';

export function commandName({ environment }: Pick<Context, 'environment'>): string {
  const script = environment.npm_lifecycle_event ?? '';
  if (script === 'npx') return 'npx tidings';
  return ['tidings', 'start'].includes(script) ? 'npm run -s tidings --' : 'tidings';
}
