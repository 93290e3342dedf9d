/** What a message looks like in a channel, as a small sketch: people see what they choose. */

import type { FC } from 'hono/jsx';
import type { channelRegistry } from '../../adapters/channels/registry.ts';

type Definition = NonNullable<ReturnType<typeof channelRegistry.get>>;

const TITLE = 'Task “Proofread the newsletter” is overdue';
const PLACE = 'Website relaunch · 2 days late';

/** A picture with a text of its own, inside of a link. */
export const ChannelSketch: FC<{ readonly definition: Pick<Definition, 'name' | 'label' | 'audience'> }> = ({
  definition: { name, label, audience },
}) => {
  const kind = name === 'email' ? 'mail' : audience === 'people' ? 'chat' : 'request';
  return (
    <span class={`sketch ${kind}`} role="img" aria-label={`Example: ${DESCRIPTIONS[kind]}`}>
      <span class="sketch-sender">
        {kind === 'mail' ? 'Subject' : kind === 'chat' ? `Tidings in ${label}` : 'POST'}
      </span>
      {kind === 'request' ? (
        <code>{'{ "type": "task.overdue", "subject": "task/412", … }'}</code>
      ) : (
        <span class="sketch-card">
          <b>{TITLE}</b>
          <span>{PLACE}</span>
        </span>
      )}
    </span>
  );
};

const DESCRIPTIONS = {
  mail: 'a mail whose subject says which task is overdue',
  chat: 'a message with the task that is overdue, its project and how late it is',
  request: 'a request with the event as JSON',
} as const;
