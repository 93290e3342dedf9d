/** The list of keyboard shortcuts, on the help page and in its overlay. */

import type { FC } from 'hono/jsx';

const SHORTCUTS: readonly (readonly [keys: string, meaning: string])[] = [
  ['/', 'search events'],
  ['j', 'next row'],
  ['k', 'previous row'],
  ['o', 'open the row'],
  ['?', 'this list'],
  ['Esc', 'close this list, leave the search field'],
];

export const Shortcuts: FC = () => (
  <dl class="keys">
    {SHORTCUTS.map(([keys, meaning]) => (
      <>
        <dt>
          <kbd>{keys}</kbd>
        </dt>
        <dd>{meaning}</dd>
      </>
    ))}
  </dl>
);
