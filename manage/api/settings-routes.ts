/** Routes of sources, keys and the audit trail. */

import * as z from 'zod';
import { listAudit } from './audit.ts';
import { defineRoute, ok, type Route } from './http/route.ts';
import {
  auditPageSchema,
  cursorSchema,
  instantSchema,
  keyInputSchema,
  keySchema,
  limitSchema,
  nameSchema,
  newKeySchema,
  sourceSchema,
} from './http/schemas.ts';
import { createKey, keyBytesOf, listKeys, removeKey } from './keys.ts';
import { getSource, listSources, scanSource } from './sources.ts';

const scanRequestSchema = z
  .strictObject({ source: z.string(), requestedAt: instantSchema })
  .meta({ id: 'ScanRequest' });

export const settingsRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/sources',
    operation: 'listSources',
    summary: 'List the sources with their health, quota and next scans',
    tag: 'sources',
    scopes: ['read'],
    responses: {
      200: {
        description: 'The sources.',
        schema: z.strictObject({ data: z.array(sourceSchema) }),
        links: {
          getSource: { name: '$response.body#/data/0/source' },
          scanSource: { name: '$response.body#/data/0/source' },
        },
      },
    },
    run: async (api) => ok(await listSources(api)),
  }),
  defineRoute({
    method: 'get',
    path: '/sources/{name}',
    operation: 'getSource',
    summary: 'Get a source',
    tag: 'sources',
    scopes: ['read'],
    params: { name: nameSchema },
    responses: { 200: { description: 'The source.', schema: sourceSchema } },
    errors: [404],
    run: async (api, { params: { name = '' } }) => ok(await getSource(api, name)),
  }),
  defineRoute({
    method: 'post',
    path: '/sources/{name}/scan',
    operation: 'scanSource',
    summary: 'Scan for changes now',
    description: 'All resources of the source are scanned in its next cycle, within the quota: in AWS within a minute.',
    tag: 'sources',
    scopes: ['operate'],
    params: { name: nameSchema },
    responses: { 202: { description: 'It will be scanned.', schema: scanRequestSchema } },
    errors: [404],
    run: async (api, { caller, params: { name = '' } }) => ({ status: 202, body: await scanSource(api, caller, name) }),
  }),
  defineRoute({
    method: 'get',
    path: '/keys',
    operation: 'listKeys',
    summary: 'List the keys',
    tag: 'keys',
    scopes: ['admin'],
    responses: {
      200: { description: 'The keys, oldest first.', schema: z.strictObject({ data: z.array(keySchema) }) },
    },
    run: async (api) => ok(await listKeys(api)),
  }),
  defineRoute({
    method: 'post',
    path: '/keys',
    operation: 'createKey',
    summary: 'Make a key',
    tag: 'keys',
    scopes: ['admin'],
    body: keyInputSchema,
    examples: {
      'a key that subscribes': { name: 'billing-service', scopes: ['subscribe'], events: ['invoice.*'] },
    },
    responses: {
      201: {
        description: 'The key. Its token is shown once.',
        schema: newKeySchema,
        links: { deleteKey: { id: '$response.body#/id' } },
      },
    },
    run: async (api, { caller, body, request }) => {
      const bytes = request === undefined ? undefined : await keyBytesOf(api, request);
      return { status: 201, body: await createKey(api, caller, body, bytes) };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/keys/{id}',
    operation: 'deleteKey',
    summary: 'Remove a key',
    description: 'It is refused at once. Its subscriptions stay.',
    tag: 'keys',
    scopes: ['admin'],
    responses: { 204: { description: 'It was removed.' } },
    errors: [404],
    run: async (api, { caller, params: { id = '' } }) => {
      await removeKey(api, caller, id);
      return { status: 204 };
    },
  }),
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
