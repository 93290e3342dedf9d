/** Prints what a config names but never occurs: it runs, but silently without effect. */

import type { ConfigProblem } from '../core/model/errors.ts';
import type { Config } from '../runtime/config/config.ts';
import { findSourceNotes } from '../runtime/stored-sources.ts';
import { pluralize, type Terminal } from '../runtime/terminal/terminal.ts';

/** For `check` and `validate`, which fail on them. */
export function printWarnings(
  file: string,
  warnings: readonly ConfigProblem[],
  { out, paint }: Pick<Terminal, 'out' | 'paint'>,
): void {
  if (warnings.length === 0) return;
  out(`${paint('red', '✗')}  ${paint('bold', file)}: ${pluralize(warnings.length, 'part')} without effect`);
  for (const { path, message } of warnings) out(`   ${path}: ${message}`);
}

/** For `once` and `serve`, which run all the same. */
export function noteWarnings(
  warnings: readonly ConfigProblem[],
  { err, paint }: Pick<Terminal, 'err' | 'paint'>,
): void {
  for (const { path, message } of warnings) err(`${paint('yellow', '!')}  ${path}: ${message}`);
}

/** That there is no source, and each that was added but is not polled. */
export function noteSources(
  config: Pick<Config, 'sources' | 'unusedSources'>,
  { err, paint }: Pick<Terminal, 'err' | 'paint'>,
): void {
  for (const text of findSourceNotes(config)) err(`${paint('yellow', '!')}  ${text}`);
}
