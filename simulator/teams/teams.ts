/**
 * A simulated Microsoft Teams: the webhook of a workflow, which accepts almost everything, and a channel that shows only what
 * Teams shows. For tests and the demo. What was accepted and not shown is in `dropped`.
 */

import { RequestWindow } from '../chat/json.ts';
import {
  type ChatServer,
  type ChatServerOptions,
  startChatServer,
  type WebhookRequest,
  type WebhookResponse,
} from '../chat/webhook-server.ts';
import { type ShownCard, showCard } from './card.ts';
import { pageOf } from './page.ts';

export interface TeamsOptions extends ChatServerOptions {
  /** Requests a second; Infinity for no limit. @default 4 */
  readonly perSecond?: number;
}

export interface Teams extends ChatServer {
  readonly webhookUrl: string;
  /** The cards that the channel shows, in the order they came. */
  readonly messages: readonly ShownCard[];
  /** Why the channel does not show an accepted message, one for each. */
  readonly dropped: readonly string[];
  /** As if the owner turned the workflow off. */
  turnOff(): void;
  /** As if the owner deleted the workflow. */
  deleteWorkflow(): void;
}

const WORKFLOW = '/workflows/0c1d6f5e3f3e4d0f8f0a5a9a1c9d7b21/triggers/manual/paths/invoke';
const SIGNATURE = 'standin-KEYoFtHEwORKFLOW0123456789';

/** Bytes of a message after the workflow has wrapped it, which adds about this many. */
const MAX_BYTES = 28_672;
const WRAPPING_BYTES = 2048;

export async function startTeams(options: TeamsOptions = {}): Promise<Teams> {
  const { perSecond = 4, now = Date.now } = options;
  const window = new RequestWindow(perSecond, 1000, now);
  const messages: ShownCard[] = [];
  const dropped: string[] = [];
  let state: 'on' | 'off' | 'deleted' = 'on';

  const receive = ({ url, body, bytes }: WebhookRequest): WebhookResponse => {
    if (url.pathname !== WORKFLOW || state === 'deleted')
      return failure(404, 'WorkflowNotFound', 'The workflow could not be found.');
    if (url.searchParams.get('sig') !== SIGNATURE)
      return failure(401, 'DirectApiAuthorizationRequired', 'The request must be authenticated by its signature.');
    if (state === 'off')
      return failure(400, 'WorkflowTriggerIsNotEnabled', "Could not execute the trigger with state 'Disabled'.");
    if (window.remaining === 0)
      return {
        ...failure(429, 'TooManyRequests', 'Rate limit is exceeded.'),
        headers: { 'retry-after': String(Math.ceil(window.resetAfter / 1000)) },
      };
    window.add();
    // From here on the sender sees success, whatever happens.
    const shown = bytes + WRAPPING_BYTES > MAX_BYTES ? `${bytes} bytes: too large` : showCard(body, now());
    if (typeof shown === 'string') dropped.push(shown);
    else messages.push(shown);
    return { status: 202, headers: { 'x-ms-workflow-run-id': `run-${messages.length + dropped.length}` } };
  };

  const server = await startChatServer(options, { receive, page: () => pageOf(messages) });
  return Object.assign(server, {
    webhookUrl: `${server.url}${WORKFLOW}?api-version=1&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=${SIGNATURE}`,
    messages,
    dropped,
    turnOff: () => {
      state = 'off';
    },
    deleteWorkflow: () => {
      state = 'deleted';
    },
  });
}

const failure = (status: number, code: string, message: string): WebhookResponse => ({
  status,
  body: { error: { code, message } },
});
