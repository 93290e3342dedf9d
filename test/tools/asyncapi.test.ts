import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventTypes } from '../../core/events/catalogue.ts';
import { resources } from '../../core/resources/catalogue.ts';
import { asyncApi } from '../../tools/asyncapi.ts';

type Json = Readonly<Record<string, unknown>>;

const document = JSON.parse(JSON.stringify(asyncApi('1.0.0'))) as {
  readonly [key: string]: unknown;
  readonly channels: Readonly<Record<string, Json>>;
  readonly operations: Readonly<
    Record<string, { action: string; channel: { $ref: string }; messages: { $ref: string }[] }>
  >;
  readonly components: { readonly messages: Readonly<Record<string, Json>> };
};
const folder = join(import.meta.dirname, '../../schema');

/** Every `$ref` below a value, however deep; examples are data, not document. */
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

describe('asyncApi', () => {
  it('has what AsyncAPI 3.0 asks for', () => {
    expect(document.asyncapi).toBe('3.0.0');
    expect(document.info).toMatchObject({ title: 'Tidings', version: '1.0.0' });
    const names = [...Object.keys(document.channels), ...Object.keys(document.operations)];
    for (const name of [...names, ...Object.keys(document.components.messages)]) expect(name).toMatch(/^[\w.-]+$/);
  });

  it('has a channel per resource, and a message per type', () => {
    expect(Object.keys(document.channels)).toEqual([...resources.map(({ name }) => name), 'source', 'subscription']);
    expect(Object.keys(document.components.messages)).toEqual(eventTypes.map(({ type }) => type));
    for (const channel of Object.values(document.channels)) expect(channel).toMatchObject({ address: null });
  });

  it('has no reference that leads nowhere', () => {
    const refs = refsIn(document);
    expect(refs.length).toBeGreaterThan(eventTypes.length * 4);
    expect(refs.filter((ref) => resolve(ref) === undefined)).toEqual([]);
  });

  it('sends over each channel exactly what the channel has', () => {
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
    }
  });
});
