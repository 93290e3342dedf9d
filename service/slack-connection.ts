/** The connection of `tidings serve` to Slack by Socket Mode. The Slack app in force handles the requests. */

import type { SlackPayload } from '../runtime/embedded/slack-socket.ts';
import type { ServedSlack } from './serve-slack.ts';
import type { ServiceLog } from './service-log.ts';

/** The socket of the process. A reload of the config does not close it. */
export function createSlackConnection(log: Pick<ServiceLog, 'note' | 'warn' | 'error'>) {
  let current: ServedSlack['socket'];
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  const start = () => {
    const stop = new AbortController();
    const options = {
      openUrl: async () => (await current?.openUrl()) ?? '',
      receive: async (payload: SlackPayload) => (await current?.receive(payload)) ?? {},
      onState: (isConnected: boolean, reason: string) =>
        isConnected ? log.note('slack: connected by Socket Mode') : log.warn(`slack: ${reason}; connecting again`),
      report: (error: unknown) => log.error('slack', error),
    };
    const ended = import('../runtime/embedded/slack-socket.ts').then(({ runSlackSocket }) =>
      runSlackSocket(options, stop.signal),
    );
    running = { stop, ended };
  };
  const end = async () => {
    running?.stop.abort();
    await running?.ended;
    running = undefined;
  };
  return {
    use(slack: ServedSlack | undefined) {
      current = slack?.socket;
      if (current !== undefined && running === undefined) start();
      if (current === undefined) void end();
    },
    close: end,
  };
}
