import { describe, expect, it } from 'vitest';
import { resources, unpollable } from '../../core/resources/catalogue.ts';
import { generateFieldsReference } from '../../tools/fields-reference.ts';

describe('generateFieldsReference', () => {
  const page = generateFieldsReference();

  it('documents the type and role of every field, and who cannot see it', () => {
    expect(page).toContain('| `datedue` | date or null | watched | |');
    expect(page).toContain('| `assignees` | names | label | Executive |');
    expect(page).toContain('| `hourlyrate` | decimal or null | watched | Manager, Resource, Executive |');
  });

  it('lists every resource, and the reason for those that cannot be polled', () => {
    const missing = resources.filter(({ name }) => !page.includes(`## ${name}\n`) && !page.includes(`\`${name}\``));
    expect(missing).toEqual([]);
    for (const [name, reason] of Object.entries(unpollable)) expect(page).toContain(`- \`${name}\` ${reason}.`);
  });

  it('keeps the order of the tables', () => {
    const order = ['`id`', '`localid`', '`queueid`', '`assigneeid`', '`statusid`'].map((field) =>
      page.indexOf(`| ${field}`),
    );
    expect(order).toEqual([...order].sort((a, b) => a - b));
  });
});
