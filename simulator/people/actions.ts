/** All user actions with their weights. life.ts decides when one is performed. */

import type { Action } from './action.ts';
import { billingActions } from './billing-actions.ts';
import { projectActions } from './project-actions.ts';
import { taskActions } from './task-actions.ts';

export const ACTIONS: readonly (readonly [act: Action, weight: number])[] = [
  ...taskActions,
  ...billingActions,
  ...projectActions,
];
