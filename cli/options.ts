/** Options several commands share, and the reading of their values. */

import { InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../core/events/catalogue.ts';
import { fromMillis, type Instant, parseDuration, parseInstant, toMillis } from '../core/model/time.ts';
import { compileGlob } from '../core/subscriptions/match.ts';

export const configOption = () => new Option('-c, --config <file>', 'the config file').default('tidings.yaml');

export const dataOption = () => new Option('-d, --data <directory>', 'where the data is kept').default('.tidings');

export const jsonOption = () => new Option('--json', 'for programs: JSON on stdout, and nothing else').default(false);

export function readInstant(text: string): Instant {
  const instant = parseInstant(text);
  if (instant !== undefined) return instant;
  throw new InvalidArgumentError("Expected an instant with its offset, such as '2026-11-14T09:00:00Z'.");
}

/** An instant, or how long ago: `2h`. */
export function readSince(now: () => Instant): (text: string) => Instant {
  return (text) => {
    const ago = parseDuration(text);
    return ago === undefined ? readInstant(text) : fromMillis(toMillis(now()) - ago);
  };
}

export function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Expected a port from 0 to 65535; 0 takes any that is free.');
}

export function readTypeGlob(glob: string): string {
  if (eventTypes.some(({ type }) => compileGlob(glob)(type))) return glob;
  throw new InvalidArgumentError("Expected an event type, or a pattern that matches one, such as 'task.*'.");
}
