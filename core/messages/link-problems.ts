/** Finds links of the config that are never shown: for a resource that does not exist, or with a field that records lack. Pure. */

import { type MoreFields, recordShape } from '../events/event-shape.ts';
import { findUnknownPath, nearestField } from '../events/shape-path.ts';
import { resourceOf, resources } from '../resources/catalogue.ts';
import type { Links } from './link.ts';

export interface LinkProblem {
  /** The key in `links`. */
  readonly resource: string;
  readonly message: string;
}

export function findLinkProblems(links: Links, moreFields?: MoreFields): readonly LinkProblem[] {
  return Object.entries(links).flatMap(([resource, template]) => {
    // Links of a source are not those of the config.
    if (resource.includes('/')) return [];
    if (resourceOf(resource) === undefined) return [{ resource, message: unknownResource(resource) }];
    const fields = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, field = '']) => field);
    return fields.flatMap((field) => {
      const message = placeholderProblem(resource, field, moreFields);
      return message === undefined ? [] : [{ resource, message }];
    });
  });
}

function unknownResource(name: string): string {
  const names = resources.map((one) => one.name);
  const nearest = nearestField(name, names);
  return nearest === undefined
    ? `unknown resource '${name}', expected one of ${names.join(', ')}`
    : `unknown resource '${name}', did you mean '${nearest}'?`;
}

function placeholderProblem(resource: string, field: string, moreFields?: MoreFields): string | undefined {
  if (!/^[A-Za-z0-9_]+$/.test(field)) return `expected a field in braces such as {localid}, got {${field}}`;
  const shape = recordShape(resource, moreFields);
  const unknown = findUnknownPath([field], [shape]);
  if (unknown !== undefined) return unknown.message;
  return shape.fields?.[field]?.isList === true
    ? `expected a field with one value, got {${field}}, which is a list`
    : undefined;
}
