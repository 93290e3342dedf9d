/** What Redmine can do beyond lists and single records. */

import type { SourceTraits } from '../../../core/ports/source-api.ts';
import { fullName } from '../../../core/resources/full-name.ts';
import { redmineResources } from './resources.ts';

const ADMINISTRATOR = 'Administrator';

export const redmineTraits: SourceTraits = {
  resources: redmineResources,
  async identify(api, signal) {
    const [me] = (await api.list('me', { offset: 0, limit: 1, filters: {} }, signal)).content().rows;
    const row = me?.parse();
    if (me === undefined || row === undefined) return undefined;
    const { firstname = null, lastname = null } = row as Record<string, string | null>;
    const role = row.x_admin === true ? ADMINISTRATOR : 'User';
    return { person: me.id, role, name: fullName({ firstname, lastname }) ?? undefined };
  },
  // The API does not show it: the config names it.
  findTimeZone: async () => null,
  // Not archived projects: their issues are forbidden, not absent.
  seesEverything: (identity) => identity?.role === ADMINISTRATOR,
  sightOf: () => 'by-parents',
  // What the user may not see is forbidden (403).
  isAbsenceProof: true,
  hasClosedStatusNames: false,
  readHistory: async (...given) => (await import('./history.ts')).readHistory(...given),
};
