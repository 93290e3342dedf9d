/** Links to further pages of a list. The position is in the address, so that a page can be shared and opened again. */

import type { FC } from 'hono/jsx';
import { Icon } from './icon.tsx';

/** The `after` of the address. Undefined for text that no list has returned. */
export function readCursor({ searchParams }: URL): string | undefined {
  const text = searchParams.get('after') ?? '';
  return /^<?[\w .,:#+-]{1,300}$/.test(text) ? text : undefined;
}

/** The address of the next page: all other parameters stay. Undefined on the last page. */
function nextPage(url: URL, next: string | null): string | undefined {
  if (next === null) return undefined;
  const parameters = new URLSearchParams(url.search);
  for (const name of ['done', 'count']) parameters.delete(name);
  parameters.set('after', next);
  return `${url.pathname}?${parameters}`;
}

interface PagingProps {
  readonly url: URL;
  readonly next: string | null;
}

export const Paging: FC<PagingProps> = ({ url, next }) => {
  const older = nextPage(url, next);
  const isFirst = readCursor(url) === undefined;
  if (older === undefined && isFirst) return null;
  const first = new URL(url);
  first.searchParams.delete('after');
  return (
    <nav class="paging" aria-label="Pages">
      {isFirst ? null : (
        <a class="button" href={`${first.pathname}${first.search}`}>
          <Icon name="back" /> Newest
        </a>
      )}
      {older === undefined ? null : (
        <a class="button" href={older} rel="next">
          Older <Icon name="send" />
        </a>
      )}
    </nav>
  );
};
