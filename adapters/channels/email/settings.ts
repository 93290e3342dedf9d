/** The settings of mail: `to: { email: … }` of a subscription. */

import type { PersonRole } from '../../../core/model/subscription.ts';

export interface EmailSettings {
  /** The addresses of the readers, each of whom gets a separate mail; or a role: the people concerned get mails of their own. */
  readonly to: readonly string[] | PersonRole;
  /** With a role: the address that gets what no person can get. @default - no one */
  readonly fallback?: string;
}
