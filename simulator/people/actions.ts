/** The things people do, each as often as its weight says. Only the list; when one is done is decided by life.ts. */

import type { Action } from './action.ts';
import { billingActions } from './billing-actions.ts';
import { projectActions } from './project-actions.ts';
import { taskActions } from './task-actions.ts';

export const ACTIONS: readonly (readonly [act: Action, weight: number])[] = [
  ...taskActions,
  ...billingActions,
  ...projectActions,
];
