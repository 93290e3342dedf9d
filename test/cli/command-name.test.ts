/** Suggested commands can be copied, however this one was started. */

import { expect, it } from 'vitest';
import { commandName } from '../../cli/command-name.ts';

it.each([
  ['npm start, in a clone', { npm_lifecycle_event: 'start' }, 'npm run -s tidings --'],
  ['npm run tidings', { npm_lifecycle_event: 'tidings' }, 'npm run -s tidings --'],
  ['npx', { npm_lifecycle_event: 'npx' }, 'npx tidings'],
  ['installed', {}, 'tidings'],
])('%s', (_, environment, expected) => {
  expect(commandName({ environment })).toBe(expected);
});
