/** The frame of every page: head, navigation, search, notices and the keyboard help. */

import type { Child, FC, PropsWithChildren } from 'hono/jsx';
import { type Instant, toMillis } from '../core/model/time.ts';
import packageJson from '../package.json' with { type: 'json' };
import { SCRIPT_PATH, STYLE_PATH } from './assets.ts';
import type { PageContext } from './page-context.ts';
import { Icon } from './parts/icon.tsx';
import { Shortcuts } from './parts/shortcuts.tsx';
import { API_REFERENCE, CONSOLE_PATH, pathTo } from './paths.ts';
import { CSRF_FIELD } from './session.ts';

interface DocumentProps {
  readonly title: string;
  /** The page opens another address by itself. @default - it stays */
  readonly refresh?: PageRefresh;
  /** The server's time, from which the script counts. @default - the page has no relative times */
  readonly now?: Instant;
}

interface PageRefresh {
  readonly to: string;
  readonly seconds: number;
}

/** A page without navigation. */
export const Document: FC<PropsWithChildren<DocumentProps>> = ({ title, refresh, now, children }) => (
  <html lang="en" data-now={now === undefined ? undefined : toMillis(now)}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="robots" content="noindex, nofollow" />
      {refresh === undefined ? null : <meta http-equiv="refresh" content={`${refresh.seconds};url=${refresh.to}`} />}
      <title>{title === '' ? 'Tidings' : `${title} · Tidings`}</title>
      <link rel="icon" href={`${CONSOLE_PATH}/icon.svg`} type="image/svg+xml" />
      <link rel="stylesheet" href={`${CONSOLE_PATH}${STYLE_PATH}`} />
      <script src={`${CONSOLE_PATH}${SCRIPT_PATH}`} defer />
    </head>
    <body>{children}</body>
  </html>
);

type ConsoleSection = 'now' | 'events' | 'subscriptions' | 'deliveries' | 'sources' | 'audit' | 'keys' | 'none';

/** In the order of the navigation. */
const SECTIONS: readonly { readonly section: ConsoleSection; readonly title: string; readonly path: string }[] = [
  { section: 'now', title: 'Now', path: '' },
  { section: 'events', title: 'Events', path: '/events' },
  { section: 'subscriptions', title: 'Subscriptions', path: '/subscriptions' },
  { section: 'deliveries', title: 'Deliveries', path: '/deliveries' },
  { section: 'audit', title: 'Audit', path: '/audit' },
  { section: 'sources', title: 'Sources', path: '/sources' },
  { section: 'keys', title: 'Keys', path: '/keys' },
];

interface LayoutProps {
  readonly page: PageContext;
  readonly title: string;
  readonly section: ConsoleSection;
  /** A sentence about the last action. @default - none */
  readonly notice?: Child;
  /** @default - it stays */
  readonly refresh?: PageRefresh;
}

export const Layout: FC<PropsWithChildren<LayoutProps>> = ({ page, title, section, notice, refresh, children }) => {
  const main = (
    <main id="main" tabindex={-1}>
      {notice === undefined || notice === null ? null : (
        <p class="notice" role="status">
          <Icon name="ok" /> {notice}
        </p>
      )}
      {children}
    </main>
  );
  if (page.isFragment) return main;
  return (
    <Document title={title} now={page.now} refresh={refresh}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={pathTo('')} aria-label="Tidings, first page">
          <Icon name="brand" /> <span>Tidings</span>
        </a>
        <nav aria-label="Console">
          {SECTIONS.map((one) => (
            <a href={pathTo(one.path)} aria-current={one.section === section ? 'page' : undefined}>
              {one.title}
            </a>
          ))}
        </nav>
        {section === 'events' && page.url.pathname.endsWith('/events') ? null : (
          <search class="find">
            <form action={pathTo('/events')} method="get">
              <input type="search" name="q" placeholder="Search events" aria-label="Search events" data-search />
              <span class="key" aria-hidden="true">
                /
              </span>
            </form>
          </search>
        )}
        <div class="who">
          {page.session.isReadOnly ? <span class="tag">read-only</span> : null}
          <a href={pathTo('/help')} data-help title="Keyboard shortcuts (?)">
            Help
          </a>
          <form method="post" action={pathTo('/log-out')}>
            <Csrf page={page} />
            <button class="quiet" type="submit" title={`Logged in as ${page.caller.id}`}>
              Log out
            </button>
          </form>
        </div>
      </header>
      {main}
      <footer class="foot">
        Times {sayZones(page)}
        <span class="only-script only-hover">; hover over a time for yours</span>. Tidings {packageJson.version}
      </footer>
      <dialog id="help" aria-labelledby="help-title">
        <h2 id="help-title">Keyboard shortcuts</h2>
        <Shortcuts />
        <p>
          <a href={pathTo('/help')}>Where to look</a> · <a href={API_REFERENCE}>The API, and what webhooks contain</a>
        </p>
        <form method="dialog">
          <button type="submit">Close</button>
        </form>
      </dialog>
    </Document>
  );
};

/** The hidden field that every form with method="post" contains. */
export const Csrf: FC<{ readonly page: PageContext }> = ({ page }) => (
  <input type="hidden" name={CSRF_FIELD} value={page.session.csrf} />
);

/** Times of a source are in its own zone. */
function sayZones({ zone, zones }: PageContext): string {
  const isOnlyOne = [...zones.values()].every((one) => one === zone);
  return isOnlyOne ? `are in ${zone}` : `of a source are in its zone, others in ${zone}`;
}
