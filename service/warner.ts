/** Warns about the config of one generation of the service after the other, and repeats nothing that the one before also had. */

import type { Config } from '../runtime/config/config.ts';
import { findConfigWarnings } from '../runtime/config/find-warnings.ts';
import { findSourceNotes } from '../runtime/stored-sources.ts';

/** A hundred added sources open a hundred generations: the same lines each time would hide the new ones. */
export function createWarner(report: (warning: string) => void): (config: Config) => void {
  let reported: ReadonlySet<string> = new Set();
  return (config) => {
    const ofConfig = findConfigWarnings(config).map(({ path, message }) => `${path}: ${message}`);
    const warnings = [...ofConfig, ...findSourceNotes(config)];
    for (const warning of warnings) if (!reported.has(warning)) report(warning);
    reported = new Set(warnings);
  };
}
