/** The routes that manage the sources kept in the data. sources.ts has those that show all sources. */

import * as z from 'zod';
import { SOURCES } from '../../adapters/sources/index.ts';
import { defineRoute, type Route, type RouteResult } from './http/route.ts';
import { instantSchema, nameSchema } from './http/schemas.ts';
import {
  addSource,
  type CheckedSource,
  changeSource,
  getSourceSettings,
  removeSource,
  sourcePortsOf,
} from './source-settings.ts';

const tag = 'sources';
const path = '/sources/{name}';
const params = { name: nameSchema };

const TOKEN =
  'expected the token itself, without spaces: a reference such as ssm:NAME, file:PATH or ${NAME} can be given at the command line of the operator only';
const URL_TEXT = "expected a URL such as 'https://work.example.com/api'";
const DURATION = "expected a duration such as '5m'";
const KINDS = SOURCES.map(({ name }) => name);

const duration = z
  .string({ error: DURATION })
  .regex(/^[0-9]{1,6}[smhd]$/, { error: DURATION })
  .optional();

const share = z.number({ error: 'expected a share from 0 to 0.95' }).min(0).max(0.95);

/** The settings as in `sources` of a config. What depends on more than one of them is checked later. */
const settings = {
  kind: z
    .enum(KINDS, { error: `expected ${KINDS.join(' or ')}` })
    .optional()
    .describe('The system to poll. Default: the one that answers at the address.'),
  baseUrl: z
    .string({ error: URL_TEXT })
    .max(2000, { error: URL_TEXT })
    .regex(/^https?:\/\/[^\s$]+$/, { error: URL_TEXT })
    .describe('Base URL of the API. Private addresses must be in `network.allow` of the config.'),
  token: z
    .string({ error: TOKEN })
    .max(4000, { error: TOKEN })
    .regex(/^(?!(?:file|ssm|secret|kept|derived|sealed):)(?!.*\$\{)\S+$/, { error: TOKEN })
    .describe('The API token of a user: Tidings sees what this user sees. Stored encrypted, never shown.'),
  timeZone: z
    .string({ error: "expected an IANA zone such as 'Europe/Berlin'" })
    .min(1)
    .max(64)
    .optional()
    .describe("Default: the zone of the token's user. Required if the API does not name it."),
  resources: z
    .record(
      z.string().regex(/^[a-z]{1,40}$/, { error: 'expected the name of a resource' }),
      z.union([z.literal('off'), z.strictObject({ every: duration, sweep: duration })], {
        error: "expected 'off', or a section with every and sweep",
      }),
      { error: 'expected resources' },
    )
    .optional()
    .describe('What to poll, and how often. Default: that of its kind.'),
  announceExisting: z
    .boolean({ error: 'expected true or false' })
    .optional()
    .describe('Whether the first poll sends events for what is already overdue. Default: false.'),
  attribution: z.boolean({ error: 'expected true or false' }).optional().describe('Default: false.'),
  quota: z
    .strictObject({
      reserve: share.optional(),
      perMinute: z.int({ error: 'expected a whole number' }).min(1).max(100_000).optional(),
    })
    .optional(),
};

export const sourceInputSchema = z.strictObject({ name: nameSchema, ...settings }).meta({ id: 'SourceInput' });

const nullable = Object.fromEntries(
  Object.entries(settings)
    .filter(([key]) => key !== 'baseUrl' && key !== 'token')
    .map(([key, schema]) => [key, schema.nullable()]),
);

export const sourcePatchSchema = z
  .strictObject({ ...nullable, baseUrl: settings.baseUrl.optional(), token: settings.token.optional() })
  .meta({ id: 'SourcePatch', description: 'Keys replace those of the settings; null removes one.' });

const settingsSchema = z
  .strictObject({
    source: z.string(),
    settings: z.record(z.string(), z.unknown()).describe('As they were given, without the token.'),
    tokenReference: z.string().nullable().describe('Where the token is; null if it was given itself.'),
    hidden: z.boolean().describe('Whether the config declares a source of this name, which is polled instead.'),
    unused: z.string().nullable().describe('Why it is not polled; null: it is.'),
    createdAt: instantSchema,
    createdBy: z.string(),
    changedAt: instantSchema,
    changedBy: z.string(),
  })
  .meta({ id: 'SourceSettings' });

const checkSchema = z
  .strictObject({
    person: z
      .strictObject({
        id: z.string(),
        name: z.string().nullable(),
        role: z.string().nullable(),
        timeZone: z.string().nullable(),
      })
      .nullable()
      .describe("The token's user; null if the API does not say."),
    resources: z.array(
      z.strictObject({
        resource: z.string(),
        count: z.int().nullable().describe('null: it cannot be read.'),
        problem: z.string().nullable(),
      }),
    ),
    requestsADay: z.number(),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'NewSourceCheck', description: 'What the check of the source found before it was stored.' });

const checkedSchema = settingsSchema
  .extend({ check: checkSchema.nullable().describe('null: the request was processed before.') })
  .meta({ id: 'CheckedSource' });

const answer = (status: number, { view, etag, check }: CheckedSource): RouteResult => ({
  status,
  body: { ...view, check: viewCheck(check) },
  headers: { etag, ...(status === 201 ? { location: `/v1/sources/${view.source}` } : {}) },
});

/** Also for programs at the command line. */
export function viewCheck(check: CheckedSource['check']) {
  if (check === undefined) return null;
  const { person, resources, requestsADay, warnings } = check;
  const counted = resources.map(({ resource, count, problem }) => ({ resource, count, problem }));
  return { person, resources: counted, requestsADay, warnings };
}

const links = Object.fromEntries(
  ['getSource', 'getSourceSettings', 'patchSource', 'deleteSource'].map((operation) => [
    operation,
    { name: '$response.body#/source' },
  ]),
);

export const sourceSettingsRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/sources',
    operation: 'createSource',
    summary: 'Add a source',
    description:
      'It is checked first: the address, the token, what it may read, and the time zone. It is polled within seconds, in AWS within two minutes. Its first poll sends no events.',
    tag,
    scopes: ['admin'],
    body: sourceInputSchema,
    examples: {
      'an account': { name: 'north', baseUrl: 'https://north.example.com/api', token: '0123456789abcdef' },
    },
    responses: { 201: { description: 'It was added.', schema: checkedSchema, etag: true, links } },
    errors: [409],
    run: async (api, { caller, body: { token, ...given }, request }) =>
      answer(201, await addSource(sourcePortsOf(api), caller, given, { value: token }, request)),
  }),
  defineRoute({
    method: 'get',
    path: `${path}/settings`,
    operation: 'getSourceSettings',
    summary: 'Get the settings of a source that is not in the config',
    tag,
    scopes: ['admin'],
    params,
    responses: { 200: { description: 'The settings, without the token.', schema: settingsSchema, etag: true } },
    errors: [404, 409],
    run: async (api, { params: { name = '' } }) => {
      const { view, etag } = await getSourceSettings(api, name);
      return { status: 200, body: view, headers: { etag } };
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    operation: 'patchSource',
    summary: 'Change a source',
    description:
      'It is checked as a new one. Another baseUrl needs the token again, because the stored one is sent only to the address it was given for. A source of the config is read-only here.',
    tag,
    scopes: ['admin'],
    params,
    body: sourcePatchSchema,
    examples: { 'another token': { token: 'fedcba9876543210' } },
    ifMatch: true,
    responses: { 200: { description: 'It was changed.', schema: checkedSchema, etag: true } },
    errors: [404, 409, 412],
    run: async (api, { caller, params: { name = '' }, body, ifMatch }) => {
      const { token, ...patch } = body as { readonly token?: string };
      const given = token === undefined ? undefined : { value: token };
      return answer(200, await changeSource(sourcePortsOf(api), caller, name, patch, { token: given, ifMatch }));
    },
  }),
  defineRoute({
    method: 'delete',
    path,
    operation: 'deleteSource',
    summary: 'Remove a source',
    description:
      'It is not polled any more. Its records, events and deliveries stay; the operator deletes its records with `tidings sources forget NAME`.',
    tag,
    scopes: ['admin'],
    params,
    ifMatch: true,
    responses: { 204: { description: 'It was removed.' } },
    errors: [404, 409, 412],
    run: async (api, { caller, params: { name = '' }, ifMatch }) => {
      await removeSource(api, caller, name, ifMatch);
      return { status: 204 };
    },
  }),
];
