/** The link to a record in the application of its account. */

import type { FC } from 'hono/jsx';
import { Icon } from './icon.tsx';

/** Nothing without a link. */
export const OpenInApp: FC<{ readonly link: string | undefined }> = ({ link }) =>
  link === undefined ? null : (
    <li>
      <a href={link} rel="noreferrer noopener" target="_blank">
        Open in the app <Icon name="open" />
      </a>
    </li>
  );
