/** What the API can do beyond lists and single records. */

import type { SourceTraits } from '../../../core/ports/source-api.ts';
import { workResources } from './resources.ts';
import { findPersonZone, identifyPerson } from './token-person.ts';

/** Settings of the account: the roles that may list them see all of them. */
const SEEN_BY_ALL = [
  'contacttype',
  'group',
  'invoiceterm',
  'module',
  'paymenttype',
  'projectlabel',
  'taskpriority',
  'taskstatus',
  'worktype',
];

/** Resources of which a role sees a part only, such as active modules and public documents. */
const PARTLY_HIDDEN: Readonly<Record<string, readonly string[]>> = {
  Resource: ['projectmodule'],
  Executive: ['document', 'projectnote', 'tasknote'],
};

export const workTraits: SourceTraits = {
  resources: workResources,
  identify: identifyPerson,
  findTimeZone: findPersonZone,
  // Only an Administrator. A role whose name the API does not give may see as little as any other.
  seesEverything: (identity) => identity?.role === 'Administrator' && identity.restricted !== true,
  sightOf(resource, identity) {
    if (SEEN_BY_ALL.includes(resource)) return 'all';
    return PARTLY_HIDDEN[identity?.role ?? '']?.includes(resource) === true ? 'part' : 'by-parents';
  },
  // 404 is also the answer for records that the token's person may not see.
  isAbsenceProof: false,
  hasClosedStatusNames: true,
  readAuthors: async (...given) => (await import('./attribution.ts')).readAuthors(...given),
};
