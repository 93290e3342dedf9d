/** The methods `views.*` of Slack's Web API: modals, with a trigger of the person, and Home tabs. */

import type { JsonObject } from './json.ts';
import type { ApiParts, MethodDefinition, MethodResult } from './method.ts';
import type { ViewResult } from './views.ts';
import { viewJson } from './wire.ts';

function withTrigger(
  { trigger_id: id, view }: JsonObject,
  parts: ApiParts,
  show: (user: string, view: JsonObject[string] | undefined) => ViewResult,
): MethodResult {
  if (typeof id !== 'string')
    return { ok: false, error: 'invalid_arguments', message: 'missing required field: trigger_id' };
  const trigger = parts.tokens.exchange(id);
  return 'error' in trigger
    ? { ok: false, error: trigger.error }
    : toResult(show(trigger.user, view), parts, trigger.user);
}

function toResult(result: ViewResult, { views, app }: ApiParts, user: string): MethodResult {
  if ('error' in result) return { ok: false, error: result.error, message: result.message };
  return { ok: true, view: viewJson(result.view, app.identity, views.stack(user)) };
}

function update({ view_id: viewId, external_id: externalId, view, hash }: JsonObject, parts: ApiParts): MethodResult {
  const id = viewId ?? externalId;
  if (typeof id !== 'string')
    return { ok: false, error: 'invalid_arguments', message: 'missing view_id or external_id' };
  const user = parts.views.find(id)?.user ?? '';
  return toResult(parts.views.update(id, view, hash), parts, user);
}

function publish({ user_id: user, view, hash }: JsonObject, parts: ApiParts): MethodResult {
  if (typeof user !== 'string' || parts.workspace.person(user) === undefined)
    return { ok: false, error: 'invalid_arguments', message: 'user_id: no such person' };
  return toResult(parts.views.publish(user, view, hash), parts, user);
}

export const viewMethods: Readonly<Record<string, MethodDefinition>> = {
  'views.open': {
    perMinute: 100,
    call: (args, parts) => withTrigger(args, parts, (user, view) => parts.views.open(user, view)),
  },
  'views.push': {
    perMinute: 100,
    call: (args, parts) => withTrigger(args, parts, (user, view) => parts.views.push(user, view)),
  },
  'views.update': { perMinute: 100, call: update },
  'views.publish': { perMinute: 100, call: publish },
};
