/** What a list without rows shows: why it is empty, and what to do next. */

import type { FC, PropsWithChildren } from 'hono/jsx';

export const Empty: FC<PropsWithChildren<{ readonly title: string }>> = ({ title, children }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);
