/**
 * Finds what is valid in a subscription but can never have an effect: a filter on a field that its events lack, a value of the
 * wrong type, a template variable that is always empty, events that nothing polls. Pure and offline. The subscription still
 * works as written, so these are warnings.
 */

import { eventTypes } from '../events/catalogue.ts';
import { type CustomEvent, customEventType } from '../events/custom-events.ts';
import { eventShape, type MoreFields, type Shape } from '../events/event-shape.ts';
import type { EventType } from '../events/event-type.ts';
import { findFieldProblems } from '../events/find-field-problems.ts';
import { OUR_RESOURCES, resourceOfType } from '../events/schema-name.ts';
import { compileGlob } from '../filters/match.ts';
import type { Subscription } from '../model/subscription.ts';
import type { ChannelTemplateParts } from '../ports/channel.ts';
import { compileTemplate, type TemplatePath } from './template-compile.ts';
import { findUnknownVariables } from './template-variables.ts';

export interface SubscriptionWarning {
  /** Inside the subscription: `['where', 'data', 'record', 'severty']`. */
  readonly path: TemplatePath;
  readonly message: string;
}

export interface WarningOptions {
  readonly customEvents: readonly CustomEvent[];
  /** Names of the resources that the sources poll. @default - it is not known yet: any */
  readonly polled?: readonly string[];
  /** The template parts of the subscription's channel. */
  readonly parts: ChannelTemplateParts;
  /** Fields that stored records have beside the documented ones, by resource. @default - none */
  readonly moreFields?: MoreFields;
}

export function findSubscriptionWarnings(
  { events, where, template }: Pick<Subscription, 'events' | 'where' | 'template'>,
  { customEvents, polled, parts, moreFields }: WarningOptions,
): readonly SubscriptionWarning[] {
  const types = [...eventTypes, ...customEvents.map(customEventType)];
  const possible = types.filter(({ type }) => isPolled(type, polled));
  // Only these two name fields.
  const shapes = where === undefined && template === undefined ? [] : shapesOf(events, possible, moreFields);
  return [
    ...unpolledEvents(events, types, polled),
    ...(where === undefined
      ? []
      : findFieldProblems(where, shapes).map(({ path, message }) => ({
          path: ['where', ...path.split('.')],
          message,
        }))),
    ...(template === undefined
      ? []
      : findUnknownVariables(compileTemplate(template, parts), shapes).map(({ path, message }) => ({
          path: ['template', ...path],
          message,
        }))),
  ];
}

const isPolled = (type: string, polled: readonly string[] | undefined) =>
  polled === undefined || OUR_RESOURCES.includes(resourceOfType(type)) || polled.includes(resourceOfType(type));

function shapesOf(
  globs: readonly string[],
  types: readonly EventType[],
  moreFields: MoreFields | undefined,
): readonly Shape[] {
  const wants = globs.map(compileGlob);
  const wanted = types.filter(({ type }) => wants.some((matches) => matches(type)));
  return wanted.map((type) => eventShape(type, moreFields));
}

/** Globs of which every type belongs to a resource that no source polls. */
function unpolledEvents(
  globs: readonly string[],
  types: readonly EventType[],
  polled: readonly string[] | undefined,
): readonly SubscriptionWarning[] {
  return globs.flatMap((glob, index) => {
    const matching = types.map(({ type }) => type).filter(compileGlob(glob));
    if (matching.length === 0 || matching.some((type) => isPolled(type, polled))) return [];
    const resources = [...new Set(matching.map(resourceOfType))].join(', ');
    const message = `no source polls ${resources}, so '${glob}' never occurs: enable it in resources of a source, or add a source that has it`;
    return [{ path: ['events', index], message }];
  });
}
