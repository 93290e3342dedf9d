/** `subscribe`: previews what the query would bring, then asks the admins or makes the subscription when it is confirmed. */

import { readMembership } from './authority.ts';
import { actionRow, button, lines, mention, note, plainSection, sayQuery } from './blocks.ts';
import { backtestQuery, describeBacktest, normalizeQuery } from './describe-subscription.ts';
import { compileChannelQuery, digestZone, readDraft, saveDraft, sayReaders } from './draft.ts';
import type { SlackReply } from './fit-reply.ts';
import { inviteBot, isConfirmed, makeOnce, toSubscription } from './make-subscription.ts';
import { sayFirstAhead } from './messages-ahead.ts';
import { findObjection, isCovered } from './objections.ts';
import { askAdmins } from './request-permission.ts';
import type { SlackPorts } from './slack-ports.ts';
import { replyTo } from './slack-reply.ts';
import type { RunningTask } from './slack-task.ts';

/** Shows what the last seven days would have brought. Shows no event that the person may not subscribe to. */
export async function previewDraft(ports: SlackPorts, running: RunningTask): Promise<void> {
  const { task } = running;
  const query = normalizeQuery(task.args.query ?? '');
  const membership = await readMembership(ports, task.place);
  const place = { ...task.place, channelName: membership.channelName, userName: membership.userName };
  const draft = { query, place };
  await saveDraft(ports, task.id, draft);
  const compiled = compileChannelQuery(ports, query);
  const objection = await findObjection(ports, { ...compiled, id: task.id, place }, membership);
  if (objection !== undefined) {
    await replyTo(ports, running, offerRequest(ports, task.id, query, objection));
    return;
  }
  const zone = await digestZone(ports);
  const { samples, ...counts } = await backtestQuery(ports, compiled, zone);
  const { text, blocks } = sayQuery('', query, ` would have brought ${describeBacktest(counts)}`);
  const planned = toSubscription(ports, { id: task.id, draft, membership }, task.id);
  await replyTo(ports, running, {
    text,
    blocks: [
      ...blocks,
      ...(samples.length === 0 ? [] : [lines(samples)]),
      plainSection(await sayFirstAhead(ports, planned)),
      note(sayReaders(place)),
      actionRow(
        button('confirm', 'Subscribe', task.id, 'primary'),
        button('change', 'Change', task.id),
        button('cancel', 'Cancel', task.id),
      ),
    ],
  });
}

function offerRequest(ports: SlackPorts, draft: string, query: string, objection: string): SlackReply {
  const { admins } = ports.config.slack;
  const after = ` needs the consent of an admin: ${objection}.`;
  if (admins.length === 0) {
    const hint = 'No admin is configured: ask the operator of Tidings, who can add one in the config.';
    return sayQuery('', query, `${after} ${hint}`);
  }
  const { text, blocks } = sayQuery('', query, after);
  const elements = [button('request', 'Ask an admin', draft, 'primary'), button('change', 'Change', draft)];
  return { text, blocks: [...blocks, actionRow(...elements, button('cancel', 'Cancel', draft))] };
}

/** The person pressed Subscribe, or Ask an admin, or Try again. */
export async function confirmDraft(ports: SlackPorts, running: RunningTask): Promise<void> {
  const id = running.task.args.draft ?? '';
  const draft = await readDraft(ports, id);
  if (draft === undefined) {
    await replyTo(ports, running, { text: 'This preview is too old. Please type the command again.' }, 'replace');
    return;
  }
  const { user } = running.task.place;
  if (draft.place.user !== user) {
    await replyTo(ports, running, { text: `Only ${mention(draft.place.user)} can confirm this preview.` });
    return;
  }
  const membership = await readMembership(ports, draft.place);
  const { events } = compileChannelQuery(ports, draft.query);
  // Read again: the config, the channel or the person may have changed since the preview.
  const objection = await findObjection(ports, { ...draft, id, events }, membership);
  const { allowedBy, allowedObjection = '' } = draft;
  // Slack says nothing about it: the bot may be invited while this runs, and strangers may be in it.
  const isUnknown = membership.isOutside && membership.isPrivate;
  const isAllowed = objection === undefined || (allowedBy !== undefined && isCovered(objection, allowedObjection));
  if ((isUnknown || !isAllowed) && !(await isConfirmed(ports, id))) {
    if (membership.isOutside) await replyTo(ports, running, inviteBot(id), 'replace');
    else if (objection !== undefined) await askAdmins(ports, running, { id, draft, objection });
    return;
  }
  const made = await makeOnce(ports, running, { id, draft, membership });
  await replyTo(ports, running, made?.reply ?? { text: 'This preview is confirmed already.' }, 'replace');
}
