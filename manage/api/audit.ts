/** Reads the audit trail: who changed what, and when. */

import type { ApiPorts } from './http/api-ports.ts';

export interface ListAuditQuery {
  readonly after?: string;
  readonly limit: number;
}

/** Newest first. */
export async function listAudit({ audit }: Pick<ApiPorts, 'audit'>, query: ListAuditQuery) {
  const { entries, cursor } = await audit.page(query);
  return { data: entries, next: cursor ?? null };
}
