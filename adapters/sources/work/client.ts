/** The client of the work API: lists, single records, quota and writes. Returns a response only after validating it. */

import { GiveUp } from '../../../core/model/errors.ts';
import type { WireRow } from '../../../core/ports/source-api.ts';
import type { SourceClient, WriteFields } from '../definition.ts';
import type { Excerpt } from '../http/excerpt.ts';
import type { ApiResponse } from '../http/exchange.ts';
import { type HttpClientOptions, openHttpClient, readResponseTimes } from '../http/http-client.ts';
import { toApiError } from './api-error.ts';
import { findEnvelopeProblem, idText, parseObject, readMember, readQuota } from './envelope.ts';
import { toParameters } from './list-filters.ts';
import { buildPage, invalidResponse } from './page.ts';
import { workTraits } from './traits.ts';
import { assertWritable, encodeFields, toUncertainCreation, type WriteVerb } from './write.ts';

export interface WorkApi extends SourceClient {
  /** Returns the stored record. Throws GiveUp `TIDINGS_SOURCE_WRITE_UNCERTAIN` when it may or may not exist. */
  create(resource: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  update(resource: string, id: string, fields: WriteFields, signal?: AbortSignal): Promise<WireRow>;
  remove(resource: string, id: string, signal?: AbortSignal): Promise<void>;
}

/** The API allows 100 per IP address. */
const PER_MINUTE = 90;

export function workApi(options: HttpClientOptions): WorkApi {
  const { send, excerpt, ...client } = openHttpClient(options, {
    // The API ignores the password, but requires one.
    credentials: { authorization: `Basic ${Buffer.from(`${options.token}:x`).toString('base64')}` },
    readError: toApiError,
    perMinute: PER_MINUTE,
    counts: (path) => path !== collection('quota'),
  });

  const write = async (
    verb: WriteVerb,
    resource: string,
    id: string | undefined,
    fields?: WriteFields,
    signal?: AbortSignal,
  ) => {
    assertWritable(verb, resource);
    const path = id === undefined ? collection(resource) : member(resource, id);
    const body = fields === undefined ? undefined : JSON.stringify(encodeFields(resource, fields));
    return send(METHODS[verb], path, { signal, body });
  };

  return {
    ...client,
    traits: workTraits,
    async list(resource, query, signal) {
      const { offset, limit, filters } = query;
      const search = new URLSearchParams({ ...toParameters(filters), offset: String(offset), limit: String(limit) });
      // The API's description asks for %20 instead of + as a space.
      const response = await send('GET', `${collection(resource)}?${search.toString().replaceAll('+', '%20')}`, {
        signal,
      });
      return buildPage({ ...response, resource, query, ...readResponseTimes(response), excerpt });
    },
    async get(resource, id, signal) {
      try {
        return readRecord(resource, await send('GET', member(resource, id), { signal }), excerpt, id);
      } catch (error) {
        if (error instanceof GiveUp && error.code === 'TIDINGS_SOURCE_NOT_FOUND') return undefined;
        throw error;
      }
    },
    async quota(signal) {
      return readEnvelope('quota', await send('GET', collection('quota'), { signal }), excerpt, readQuota);
    },
    async create(resource, fields, signal) {
      try {
        return readRecord(resource, await write('create', resource, undefined, fields, signal), excerpt);
      } catch (error) {
        throw toUncertainCreation(error);
      }
    },
    async update(resource, id, fields, signal) {
      return readRecord(resource, await write('update', resource, id, fields, signal), excerpt, id);
    },
    async remove(resource, id, signal) {
      await write('remove', resource, id, undefined, signal);
    },
  };
}

const METHODS = { create: 'POST', update: 'PUT', remove: 'DELETE' } as const;

function collection(resource: string): string {
  return `${encodeURIComponent(resource)}/`;
}

/** Only digits: other characters could change the path. */
function member(resource: string, id: string): string {
  if (/^\d+$/.test(id)) return `${collection(resource)}${id}/`;
  throw new GiveUp('TIDINGS_SOURCE_REQUEST_INVALID', `${resource}: expected an id of digits, got '${id}'`);
}

/** A record with another id than requested is an invalid response. */
function readRecord(resource: string, response: ApiResponse, excerpt: Excerpt, id?: string): WireRow {
  return readEnvelope(resource, response, excerpt, (envelope) => {
    const record = readMember(envelope, resource);
    const recordId = idText(record?.id);
    return recordId !== undefined && (id === undefined || recordId === id) ? record : undefined;
  });
}

function readEnvelope<T>(
  resource: string,
  response: ApiResponse,
  excerpt: Excerpt,
  read: (envelope: WireRow) => T | undefined,
): T {
  const envelope = parseObject(response.body.toString('utf8'));
  const problem = envelope === undefined ? 'it is not a JSON object' : findEnvelopeProblem(envelope);
  const content = envelope === undefined || problem !== undefined ? undefined : read(envelope);
  if (content !== undefined) return content;
  throw invalidResponse({ resource, body: response.body, excerpt }, problem ?? `it has no such ${resource}`);
}
