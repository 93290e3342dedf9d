/** Forms of channels: the fields of every definition, and settings that survive the way through a form. */

import { describe, expect, it } from 'vitest';
import { channelRegistry } from '../../adapters/channels/registry.ts';
import { channelFields, formToSettings, settingsToForm } from '../../console/channel-fields.ts';

describe.each([...channelRegistry.values()])('the form of $name', (definition) => {
  const fields = channelFields(definition.name);

  it('has a field with words for each key that a person sets, and no others', () => {
    expect(fields.map(({ path }) => path.join('.')).toSorted()).toEqual(Object.keys(definition.form.fields).toSorted());
    for (const { label, hint } of fields) {
      expect(label).toMatch(/^[A-Z]/);
      expect(hint).toMatch(/^$|^[A-Z].*\.$/s);
      // Names of keys and rules between them belong to the config.
      expect(`${label} ${hint}`).not.toMatch(
        /Default:|[Rr]equired|unless|Only with|A secret\.|routingKey|projectmanager|allowHttp/,
      );
    }
    expect(fields.some(({ isMain }) => isMain)).toBe(true);
    expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
  });

  it('never contains a stored secret, and keeps it', () => {
    const form = settingsToForm(definition.placeholder, fields);
    expect([...form.values()].join(' ')).not.toContain('file:secret');
    const { secret: _, ...settings } = definition.placeholder as { secret?: string };
    expect(formToSettings(form, fields, definition.placeholder)).toEqual(settings);
  });
});

it('sets a flag with yes or no, and leaves other text to the schema', () => {
  const fields = channelFields('discord');
  const known = { webhook: 'sealed:1', forum: true };
  const form = settingsToForm(known, fields);
  expect(form.get('to.forum')).toBe('yes');
  expect(formToSettings(form, fields, known)).toEqual(known);
  const choose = (text: string) => formToSettings(new Map([...form, ['to.forum', text]]), fields, known);
  expect(choose('no')).toMatchObject({ forum: false });
  expect(choose('')).not.toHaveProperty('forum');
  expect(choose('perhaps')).toMatchObject({ forum: 'perhaps' });
});

it('asks for the address of a webhook, and not for its signing secret', () => {
  const names = channelFields('http').map(({ name }) => name);
  expect(names).toEqual([
    'to.url',
    'to.headers',
    'to.auth.basic.user',
    'to.auth.basic.password',
    'to.auth.bearer',
    'to.format',
    'to.contentType',
  ]);
  expect(
    channelFields('http')
      .filter(({ isMain }) => isMain)
      .map(({ name }) => name),
  ).toEqual(['to.url']);
});

it('keeps, replaces and removes secrets of a stored subscription', () => {
  const fields = channelFields('http');
  const known = {
    url: 'https://a.example',
    headers: { 'x-a': 'sealed:1', 'x-b': 'sealed:2' },
    auth: { bearer: 'sealed:3' },
  };
  const form = settingsToForm(known, fields);
  expect(form.get('to.headers')).toBe('x-a: (unchanged)\nx-b: (unchanged)');
  expect(formToSettings(form, fields, known)).toEqual(known);
  const changed = new Map([
    ...form,
    ['to.headers', 'x-b: (unchanged)\nx-c: new: value'],
    ['drop.to.auth.bearer', 'yes'],
  ]);
  expect(formToSettings(changed, fields, known)).toEqual({
    url: 'https://a.example',
    headers: { 'x-b': 'sealed:2', 'x-c': 'new: value' },
  });
  // The marker is no way to a secret that is not stored.
  expect(formToSettings(new Map([['to.headers', 'x-z: (unchanged)']]), fields, known)).toMatchObject({
    headers: { 'x-z': '(unchanged)' },
  });
});

it('takes mail addresses in lines, or a role', () => {
  const fields = channelFields('email');
  const read = (text: string) => formToSettings(new Map([['to.to', text]]), fields);
  expect(read(' ann@example.com\nben@example.com, ')).toEqual({ to: ['ann@example.com', 'ben@example.com'] });
  expect(read('assignees')).toEqual({ to: 'assignees' });
});
