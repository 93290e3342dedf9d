import { existsSync } from 'node:fs';
import { join } from 'node:path';
import specification from '@asyncapi/specs/schemas/3.0.0.json' with { type: 'json' };
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { signingKey, signWebhook } from '../../core/delivery/signing/sign.ts';
import { eventTypes } from '../../core/events/catalogue.ts';
import type { TidingsEvent } from '../../core/model/event.ts';
import { resources } from '../../core/resources/catalogue.ts';
import { generateAsyncApi } from '../../tools/asyncapi.ts';
import { problemsOf as eventProblemsOf } from '../core/events/event-schemas.ts';
import { edKeys, SIGNERS, signWithEd, signWithOurs } from '../kit/signed.ts';
import { SECRET } from '../samples.ts';

type Json = Readonly<Record<string, unknown>>;

const document = JSON.parse(JSON.stringify(generateAsyncApi('1.0.0'))) as {
  readonly [key: string]: unknown;
  readonly channels: Readonly<Record<string, Json>>;
  readonly operations: Readonly<
    Record<string, { action: string; channel: { $ref: string }; messages: { $ref: string }[] }>
  >;
  readonly components: {
    readonly messages: Readonly<Record<string, Json>>;
    readonly messageTraits: { readonly webhook: { readonly headers: Json } };
  };
};
const folder = join(import.meta.dirname, '../../schema');

/** Every `$ref` below a value. Examples are data, so they are left out. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' ? [String(member)] : key === 'examples' ? [] : refsIn(member),
  );
}

function resolve(ref: string): unknown {
  if (!ref.startsWith('#/')) return existsSync(join(folder, ref)) ? ref : undefined;
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document);
}

// The schema of AsyncAPI contains that of JSON Schema, which ajv must not add a second time.
const validate = new Ajv({ meta: false, validateSchema: false, validateFormats: false, strict: false }).compile(
  specification,
);

function problemsOf(document: unknown): readonly string[] {
  if (validate(document)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}

describe('generateAsyncApi', () => {
  it('is valid by the schema of AsyncAPI', () => {
    expect(problemsOf(document)).toEqual([]);
  });

  it('is really checked: the schema rejects a misspelled key and a reference that is no text', () => {
    const [[name, channel] = ['', {}]] = Object.entries(document.channels);
    const having = (change: Json) => ({ ...document, channels: { [name]: { ...channel, ...change } } });
    expect(problemsOf(having({ addres: null }))).not.toEqual([]);
    expect(problemsOf(having({ messages: { 'task.closed': { $ref: 1 } } }))).not.toEqual([]);
    expect(problemsOf({ ...document, info: { title: 'Tidings' } })).not.toEqual([]);
  });

  it('accepts the headers of real requests, and no others', () => {
    const isValid = new Ajv().compile(document.components.messageTraits.webhook.headers);
    const at = new Date('2026-11-14T12:00:00Z');
    for (const sign of Object.values(SIGNERS)) expect(isValid(sign(SECRET, 'evt_1', at, '{}'))).toBe(true);
    const ed = signWithEd(edKeys().privateKey, 'evt_1', at, '{}');
    expect(isValid(ed)).toBe(true);
    const hmac = signWithOurs(SECRET, 'evt_1', at, '{}');
    const [v1, v1a] = [hmac['webhook-signature'], ed['webhook-signature']];
    const withSignature = (signature: string) => ({ ...hmac, 'webhook-signature': signature });
    expect(isValid(withSignature(`${v1} ${v1a} ${v1}`))).toBe(true);
    for (const wrong of ['', 'v1,', `${v1},${v1a}`, `${v1}  ${v1a}`, 'v2,AAAA', 'AAAA']) {
      expect(isValid(withSignature(wrong))).toBe(false);
    }
    const rotated = signWebhook('evt_1', '2026-11-14T12:00:00.000Z', '{}', [signingKey(SECRET), signingKey(SECRET)]);
    expect(isValid({ ...rotated })).toBe(true);
  });

  it('is an AsyncAPI 3.0 document', () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(document.info).toMatchObject({ title: 'Tidings', version: '1.0.0' });
    const names = [...Object.keys(document.channels), ...Object.keys(document.operations)];
    for (const name of [...names, ...Object.keys(document.components.messages)]) expect(name).toMatch(/^[\w.-]+$/);
  });

  it('has one channel per resource and one message per event type', () => {
    expect(Object.keys(document.channels)).toEqual([...resources.map(({ name }) => name), 'source', 'subscription']);
    expect(Object.keys(document.components.messages)).toEqual(eventTypes.map(({ type }) => type));
    for (const channel of Object.values(document.channels)) expect(channel).toMatchObject({ address: null });
  });

  it('has no dangling reference', () => {
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(eventTypes.length * 4);
    expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
    expect(resolve('./events/task.forgotten.json')).toBeUndefined();
  });

  it('sends over each channel exactly its messages', () => {
    for (const { action, channel, messages } of Object.values(document.operations)) {
      expect(action).toBe('send');
      const { messages: known } = resolve(channel.$ref) as { messages: Json };
      expect(messages.map(({ $ref }) => $ref)).toEqual(
        Object.keys(known).map((type) => `${channel.$ref}/messages/${type}`),
      );
    }
  });

  it('gives each message a payload, a summary and an example', () => {
    for (const [type, message] of Object.entries(document.components.messages)) {
      expect(message).toMatchObject({
        name: type,
        payload: { $ref: expect.stringMatching(/^\.\/events\/[\w.]+\.json$/) },
        examples: [{ summary: expect.stringMatching(/\S/), payload: { type } }],
      });
      const examples = message.examples as readonly { readonly payload: TidingsEvent }[];
      expect(examples.flatMap(({ payload }) => eventProblemsOf(payload))).toEqual([]);
    }
  });
});
