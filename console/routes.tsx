/** The pages and actions of the console, by path under `/console`. */

import type { Child } from 'hono/jsx';
import type { PageContext } from './page-context.ts';
import { showEvents } from './pages/events.tsx';
import { showHelp } from './pages/help.tsx';

type Params = Readonly<Record<string, string>>;

export interface ConsolePage {
  /** In Hono's syntax: `/events/:id`. */
  readonly path: string;
  show(page: PageContext, params: Params): Promise<Child>;
}

export interface ConsoleAction {
  readonly path: string;
  /** Returns the address of the page to show next, or a page. */
  run(page: PageContext, params: Params, form: ReadonlyMap<string, string>): Promise<string | Child>;
}

export const pages: readonly ConsolePage[] = [
  { path: '/', show: showEvents },
  { path: '/events', show: showEvents },
  { path: '/help', show: showHelp },
];

export const actions: readonly ConsoleAction[] = [];
