/** What a form of a subscription offers: the kinds of events, and the fields of conditions with the account's own values. */

import { eventTypeOf, sayEvent } from '../core/events/catalogue.ts';
import { knownTypes } from '../core/events/custom-events.ts';
import type { EventType } from '../core/events/event-type.ts';
import { customExample, exampleEvent } from '../core/events/examples.ts';
import { nounFor, upperFirst } from '../core/events/phrases.ts';
import { OUR_RESOURCES, resourceOfType } from '../core/events/schema-name.ts';
import { filterFieldOf } from '../core/filters/filter-fields.ts';
import type { Subscription } from '../core/model/subscription.ts';
import { type FieldWithValues, listFilterFields, resourcesMatching, valuesFor } from '../manage/api/filter-fields.ts';
import { isWithin } from '../manage/api/http/caller.ts';
import { eventsOf, rowsOf } from './filter-form.ts';
import type { FormText } from './form-text.ts';
import type { PageContext } from './page-context.ts';

export interface FormChoices {
  /** Of the account: times are in it, unless the subscription has its own. */
  readonly zone: string;
  readonly groups: readonly TypeGroup[];
  /** For another condition. */
  readonly fields: readonly FieldWithValues[];
  /** The fields of the conditions that are there, by their word. */
  readonly rowFields: ReadonlyMap<string, FieldWithValues>;
}

export interface TypeGroup {
  /** `Tasks` */
  readonly title: string;
  /** `task.*`; undefined if the person may not see all of them. */
  readonly all: string | undefined;
  /** `Anything that happens to a task` */
  readonly allTitle: string;
  readonly types: readonly TypeChoice[];
}

export interface TypeChoice {
  readonly type: string;
  /** `A task is overdue.` */
  readonly meaning: string;
  /** `Task “Proofread the newsletter” has been overdue since Sat 21 Nov`; '' if there is none. */
  readonly example: string;
}

/** @param known the subscription that is edited. @default - a new one */
export async function loadChoices(page: PageContext, form: FormText, known?: Subscription): Promise<FormChoices> {
  const { api, caller } = page;
  const groups = typeGroups(page);
  const chosen = eventsOf(form, known?.events);
  const offered = groups.flatMap(({ types }) => types.map(({ type }) => type));
  const events = chosen.length === 0 ? offered : chosen;
  const resources = resourcesMatching(api, caller, events);
  const fields = await listFilterFields(api, caller, events);
  const rowFields = await Promise.all(
    rowsOf(form).map(async ({ key }): Promise<readonly [string, FieldWithValues]> => {
      const found = fields.find((field) => field.key === key);
      if (found !== undefined) return [key, found];
      const field = filterFieldOf(key, resources) ?? UNKNOWN;
      return [key, { ...field, key, label: field.label || key, values: await valuesFor(api, caller, field) }];
    }),
  );
  return { zone: page.zone, groups, fields, rowFields: new Map(rowFields) };
}

/** No chosen event has the field of this condition. */
const UNKNOWN = { key: '', label: '', kind: 'text', isComparable: true, isCommon: false, fields: [] } as const;

/** Those that can happen here: of resources that are read, of this installation itself, and of the config. */
function typeGroups({ api, caller }: PageContext): readonly TypeGroup[] {
  const { sources, customEvents } = api.config;
  const polled = sources.flatMap(({ resources }) => resources.map(({ resource }) => resource.name));
  const here = new Set([...polled, ...OUR_RESOURCES]);
  const types = knownTypes(api.config).filter(
    ({ type }) =>
      isWithin(caller, type) && (here.has(resourceOfType(type)) || customEvents.some((custom) => custom.type === type)),
  );
  return [...Map.groupBy(types, ({ type }) => resourceOfType(type))].map(([resource, own]) => ({
    title: OWN_TITLES[resource] ?? upperFirst(nounFor(resource, 2)),
    all: isWithin(caller, `${resource}.*`) ? `${resource}.*` : undefined,
    allTitle: OWN_TITLES[resource] === undefined ? `Anything about ${nounFor(resource, 2)}` : 'Any of these',
    types: own.map(toChoice),
  }));
}

const OWN_TITLES: Readonly<Record<string, string>> = {
  source: 'Tidings itself: reading the account',
  subscription: 'Tidings itself: receivers that fail',
};

function toChoice(eventType: EventType): TypeChoice {
  const { type, meaning } = eventType;
  const example = eventTypeOf(type) === undefined ? customExample(eventType) : exampleEvent(eventType);
  return { type, meaning, example: example === undefined ? '' : sayEvent(example) };
}

/** Whether every word of the search is in what the choice shows. */
export function matchesSearch({ type, meaning, example }: TypeChoice, title: string, search: string): boolean {
  const text = `${type} ${meaning} ${example} ${title}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
