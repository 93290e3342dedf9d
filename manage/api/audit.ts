/** Reads the audit trail: who changed what, and when. */

import * as z from 'zod';
import { MAX_RESPONSE_BYTES } from '../../core/model/byte-budget.ts';
import type { ApiPorts } from './http/api-ports.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import { auditPageSchema, cursorSchema, limitSchema } from './http/schemas.ts';

export interface ListAuditQuery {
  readonly after?: string;
  readonly limit: number;
}

/** Newest first. */
export async function listAudit({ audit }: Pick<ApiPorts, 'audit'>, query: ListAuditQuery) {
  const { entries, cursor } = await audit.page({ ...query, maxBytes: MAX_RESPONSE_BYTES });
  return { data: entries, next: cursor ?? null };
}

export const auditRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/audit',
    operation: 'listAudit',
    summary: 'List the changes: who, when, what',
    tag: 'keys',
    scopes: ['admin'],
    query: z.strictObject({ after: cursorSchema.optional(), limit: limitSchema.optional() }),
    responses: { 200: { description: 'A page of changes, newest first.', schema: auditPageSchema } },
    run: async (api, { query }) => ok(await listAudit(api, { limit: 50, ...query })),
  }),
];
