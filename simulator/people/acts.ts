/**
 * The things people do, each as often as its weight says. An act answers false when it found nothing to do.
 * Only the list; when one is done is decided by life.ts.
 */
import type { Account } from '../account/account.ts';
import { billingActs } from './acts-billing.ts';
import { projectActs } from './acts-projects.ts';
import { taskActs } from './acts-tasks.ts';
import type { Random } from './random.ts';

export type PersonalAct = (account: Account, random: Random) => boolean;

export const ACTS: readonly (readonly [act: PersonalAct, weight: number])[] = [
  ...taskActs,
  ...billingActs,
  ...projectActs,
];
