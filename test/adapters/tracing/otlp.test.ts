/** The exporter for OpenTelemetry: what a collector gets, and what happens if it refuses. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { otlpExporter } from '../../../adapters/tracing/otlp.ts';
import type { TraceSpan } from '../../../core/model/trace.ts';
import { NOON } from '../../samples.ts';

const span: TraceSpan = {
  trace: '0af7651916cd43dd8448eb211c80319c',
  id: 'b7ad6b7169203331',
  parent: '00f067aa0ba902b7',
  name: 'request',
  kind: 'client',
  start: NOON,
  end: NOON.replace('.000Z', '.250Z'),
  attributes: { 'tidings.event.id': 'evt_1', 'tidings.attempt': 2 },
  error: '500 from example.com',
};

let answer: number;
let got: { readonly headers: IncomingHttpHeaders; readonly body: string }[];
let url: string;
const collector = createServer(async (request, response) => {
  got.push({ headers: request.headers, body: await text(request) });
  response.writeHead(answer, { location: '/elsewhere' }).end('{}');
});

beforeAll(async () => {
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
});
afterAll(() => new Promise((closed) => collector.close(closed)));
beforeEach(() => {
  answer = 200;
  got = [];
});

describe('otlpExporter', () => {
  it('posts spans in the JSON encoding of OTLP', async () => {
    await otlpExporter({ url, service: 'news', headers: async () => ({ 'x-key': 'k' }) }).export([span]);
    expect(got[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'k' });
    const nanos = (instant: string) => `${Date.parse(instant)}000000`;
    expect(JSON.parse(got[0]?.body ?? '')).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'news' } }] },
          scopeSpans: [
            {
              scope: { name: 'tidings' },
              spans: [
                {
                  traceId: span.trace,
                  spanId: span.id,
                  parentSpanId: span.parent,
                  name: 'request',
                  kind: 3,
                  startTimeUnixNano: nanos(span.start),
                  endTimeUnixNano: nanos(span.end),
                  attributes: [
                    { key: 'tidings.event.id', value: { stringValue: 'evt_1' } },
                    { key: 'tidings.attempt', value: { intValue: '2' } },
                  ],
                  status: { code: 2, message: '500 from example.com' },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it.each([401, 302, 503])('throws if the collector answers %d, and follows no redirect', async (status) => {
    answer = status;
    const exporter = otlpExporter({ url, service: 'news', headers: async () => ({ authorization: 'Bearer hidden' }) });
    await expect(exporter.export([span])).rejects.toThrow(`${status} from 127.0.0.1`);
    await expect(exporter.export([span])).rejects.not.toThrow('hidden');
    expect(got).toHaveLength(2);
  });
});
