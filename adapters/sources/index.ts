/** The kinds of sources of this build, the default first. A new kind is one folder with a definition, and one line here. */

import { workSource } from './work/definition.ts';

export const SOURCES = [workSource] as const;
