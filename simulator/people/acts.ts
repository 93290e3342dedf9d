/** The things people do, each as often as its weight says. Only the list; when one is done is decided by life.ts. */

import type { PersonalAct } from './act.ts';
import { billingActs } from './acts-billing.ts';
import { projectActs } from './acts-projects.ts';
import { taskActs } from './acts-tasks.ts';

export const ACTS: readonly (readonly [act: PersonalAct, weight: number])[] = [
  ...taskActs,
  ...billingActs,
  ...projectActs,
];
