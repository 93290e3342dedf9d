/** The section `tracing` of `tidings.yaml`: where the embedded mode sends the spans of changes. */

import * as z from 'zod';
import { secret, text, url } from './values.ts';

const COLLECTOR = "expected the URL of an OTLP/HTTP collector such as 'http://localhost:4318/v1/traces'";
const HEADERS = 'expected headers as names with values';
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/;

const isHttp = (value: string) => !URL.canParse(value) || ['http:', 'https:'].includes(new URL(value).protocol);

export const tracingSection = z.strictObject({
  otlp: url
    .refine(isHttp, { error: COLLECTOR })
    .describe('The URL to which spans are posted as OTLP with JSON, such as http://localhost:4318/v1/traces.'),
  service: text('expected a name').prefault('tidings').describe('The name of this installation in traces.'),
  headers: z
    .record(z.string().regex(HEADER_NAME, { error: "expected a header's name" }), secret, { error: HEADERS })
    .optional()
    .describe('Headers of every request, such as the key of a service. Values are secrets. Default: none.'),
});
