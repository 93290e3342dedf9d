/** Asks Slack whether a person is in a channel now: a form and a request to the admins may outlive it. Keeps nothing. */

import { jsonObjectOf, jsonTextOf } from '../../core/model/json.ts';
import type { SlackPorts } from './slack-ports.ts';
import type { SlackPlace } from './slack-request.ts';

/** Slack's limit. */
const PEOPLE_PER_PAGE = '999';
/** More than a private channel has. */
const MAX_PAGES = 20;

/** False also if Slack does not tell. */
export async function isInChannel(
  { slack }: Pick<SlackPorts, 'slack'>,
  { channel, user }: Pick<SlackPlace, 'channel' | 'user'>,
): Promise<boolean> {
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page++) {
    const from = cursor === '' ? {} : { cursor };
    const answer = await slack.call('conversations.members', { channel, limit: PEOPLE_PER_PAGE, ...from });
    if (!answer.ok) return false;
    const { members, response_metadata: metadata } = answer.body;
    if (Array.isArray(members) && members.includes(user)) return true;
    cursor = jsonTextOf(jsonObjectOf(metadata).next_cursor);
    if (cursor === '') return false;
  }
  return false;
}
