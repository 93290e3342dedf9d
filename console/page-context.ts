/** What a page gets: the functions' ports, who looks, and the time zones of the accounts. */

import type { Child } from 'hono/jsx';
import type { Instant } from '../core/model/time.ts';
import type { ApiPorts } from '../manage/api/http/api-ports.ts';
import type { Caller } from '../manage/api/http/caller.ts';
import type { Session } from './session.ts';

export interface PageContext {
  readonly api: ApiPorts;
  readonly caller: Caller;
  readonly session: Session;
  readonly now: Instant;
  /** The time zone of each source whose zone is known, by name. */
  readonly zones: ReadonlyMap<string, string>;
  /** The zone of times that belong to no source with a known zone: that of the first one that has one. */
  readonly zone: string;
  /** The address of the page with its query. */
  readonly url: URL;
  /** Whether only the content is needed, not the frame around it: the script refreshes the page. */
  readonly isFragment: boolean;
  /** What the browser asks for: `document`, `iframe`. Undefined if it does not say. */
  readonly destination: string | undefined;
}

/** The zone of the source with this name, or of the first one whose zone is known. */
export function zoneOf({ zones, zone }: Pick<PageContext, 'zones' | 'zone'>, source: string): string {
  return zones.get(source) ?? zone;
}

/** A page with another status than 200: a form that is shown again with its errors. */
export interface ShownPage {
  readonly page: Child;
  readonly status: number;
}
