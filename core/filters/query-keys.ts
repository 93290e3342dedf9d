/** The words for fields in a query: what people call a field, and which field of each resource that is. */

import { resources } from '../resources/catalogue.ts';
import type { FieldSpec } from '../resources/field.ts';

/** A field of a resource. */
export interface KeyField {
  readonly name: string;
  readonly spec: FieldSpec;
}

/** Words for fields, most specific first. A field's own name is always one of its words. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  amount: ['total', 'expense'],
  assigned: ['assignees'],
  assignee: ['assignees'],
  closed: ['dateclosed'],
  created: ['datecreated'],
  due: ['datedue'],
  end: ['dateend'],
  follower: ['followers'],
  hours: ['actual'],
  label: ['label', 'projectlabel'],
  name: ['name', 'title'],
  number: ['localid'],
  owner: ['owners'],
  paid: ['datepaid'],
  role: ['group'],
  start: ['datestart', 'dateopen'],
  title: ['title', 'name'],
};

/** Words that people use most, before the names of the API. */
export const PREFERRED_WORDS: readonly string[] = [
  'project',
  'client',
  'status',
  'assignee',
  'owner',
  'priority',
  'due',
  'start',
  'end',
  'closed',
];

/** The word for the source of an event, which is no field of a record. */
export const SOURCE_WORD = 'source';

/** Words whose field depends on the test: `priority:P1` is a name, `priority<=2` a rank. */
const RANKED: Readonly<Record<string, { readonly name: string; readonly rank: string }>> = {
  priority: { name: 'severity', rank: 'priority' },
};

/** A record of this resource is itself what the word names: `project:"Website relaunch"` for `project.past_end`. */
const OWN_NAMES: Readonly<Record<string, string>> = { project: 'name', client: 'name' };

/** The field that a word means for a resource; undefined if the resource has none. */
export function fieldFor(resource: string, key: string, isCompared: boolean): KeyField | undefined {
  const fields = resources.find(({ name }) => name === resource)?.fields ?? {};
  const own = resource === key ? OWN_NAMES[key] : undefined;
  const ranked = Object.hasOwn(RANKED, key) ? RANKED[key] : undefined;
  const names = [
    ...(own === undefined ? [] : [own]),
    ...(ranked === undefined ? [] : [isCompared ? ranked.rank : ranked.name]),
    ...(Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? []) : []),
    key,
  ];
  const name = names.find((one) => Object.hasOwn(fields, one));
  const spec = name === undefined ? undefined : fields[name];
  return name === undefined || spec === undefined ? undefined : { name, spec };
}

/** The words that people may use for these resources, for suggestions and completion. */
export function keysOf(names: readonly string[]): readonly string[] {
  const fields = resources.filter(({ name }) => names.includes(name)).flatMap((one) => Object.keys(one.fields));
  const words = [...Object.keys(ALIASES), ...Object.keys(RANKED), ...Object.keys(OWN_NAMES)];
  const validWords = words.filter((word) => names.some((name) => fieldFor(name, word, false) !== undefined));
  return [...new Set([...validWords, ...fields, SOURCE_WORD])];
}
