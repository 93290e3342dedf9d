/** The kinds of sources of this build, the default first. A new kind is one folder with a definition, and one line here. */

import { redmineSource } from './redmine/definition.ts';
import { workSource } from './work/definition.ts';

export const SOURCES = [workSource, redmineSource] as const;
