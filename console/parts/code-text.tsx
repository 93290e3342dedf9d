/** Text with names between backticks, as in the catalogue of events. */

import type { FC } from 'hono/jsx';

export const CodeText: FC<{ readonly text: string }> = ({ text }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</>
);
