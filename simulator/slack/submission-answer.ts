/** The app's answer to a submitted modal: it closes, is updated, gets another on top, or shows errors. */

import { isObject, type Json, stringOr } from './json.ts';
import type { View, Views } from './views.ts';

/** Carries out the answer. The result is the problem that the person sees, undefined if there is none. */
export function answerSubmission(views: Views, user: string, view: View, answer: Json | undefined): string | undefined {
  if (answer === undefined || (isObject(answer) && Object.keys(answer).length === 0)) {
    views.close(user, false);
    return undefined;
  }
  if (!isObject(answer)) return 'invalid_response';
  const { response_action: action, errors } = answer;
  if (action === 'clear') {
    views.close(user, true);
    return undefined;
  }
  if (action === 'errors') return showErrors(views, user, view, errors);
  if (action !== 'update' && action !== 'push') return 'invalid_response';
  const result = action === 'update' ? views.update(view.id, answer.view) : views.push(user, answer.view);
  if (!('error' in result)) return undefined;
  return result.message === undefined ? result.error : `${result.error}: ${result.message}`;
}

/** Errors name input blocks of the view; Slack refuses others. */
function showErrors(views: Views, user: string, view: View, errors: Json | undefined): string | undefined {
  if (!isObject(errors)) return 'invalid_response';
  const inputs = view.blocks.filter(({ type }) => type === 'input').map(({ block_id: id }) => stringOr(id, ''));
  const entries = Object.entries(errors).map(([block, problem]) => [block, String(problem)] as const);
  if (entries.length === 0 || entries.some(([block]) => !inputs.includes(block))) return 'invalid_response';
  views.setErrors(user, view, Object.fromEntries(entries));
  return undefined;
}
