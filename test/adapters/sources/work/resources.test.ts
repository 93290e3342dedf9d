import { describe, expect, it } from 'vitest';
import { workResourceOf, workResources } from '../../../../adapters/sources/work/resources.ts';
import { resources } from '../../../../core/resources/catalogue.ts';
import type { PolledResource } from '../../../../core/resources/resource.ts';

const namesWhere = (holds: (resource: PolledResource) => boolean) =>
  [...workResources.values()]
    .filter(holds)
    .map(({ name }) => name)
    .sort();

describe('the resources of the work API', () => {
  it('are all of the model, with its fields', () => {
    expect([...workResources.keys()]).toEqual(resources.map(({ name }) => name));
    for (const resource of resources) expect(workResourceOf(resource.name)).toMatchObject(resource);
    expect(workResourceOf('constructor')).toBeUndefined();
  });

  it('declares what each list supports', () => {
    expect(namesWhere(({ sortsById }) => sortsById)).toEqual([
      'client',
      'document',
      'expense',
      'invoice',
      'project',
      'task',
    ]);
    expect(namesWhere(({ modifiedSince }) => modifiedSince)).toEqual(['task']);
    expect(namesWhere(({ readsBy }) => readsBy === 'localid')).toEqual([
      'client',
      'invoice',
      'person',
      'project',
      'task',
    ]);
    expect(namesWhere(({ listsOpen }) => listsOpen === true)).toEqual(['invoice']);
    expect(namesWhere(({ listsAll }) => !listsAll)).toEqual(['tasknote']);
  });
});
