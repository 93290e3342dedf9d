/** `tidings subscriptions resubscribe`: the way back for a reader who unsubscribed with the link in a mail. */

import type { Command } from 'commander';
import { findSubscription } from './backend/backend.ts';
import { withBackend } from './backend/open-backend.ts';
import type { Context, ExitCode, Location } from './context.ts';
import { addLocationOptions } from './options.ts';

export function resubscribeCommand(group: Command, context: Context, exit: (code: ExitCode) => void): void {
  const { terminal } = context;
  const command = group
    .command('resubscribe')
    .summary('send mails again to a reader who unsubscribed, because they asked for it')
    .argument('<name>', 'the subscription')
    .argument('<address>', 'the mail address; `tidings subscriptions` lists those who unsubscribed');
  addLocationOptions(command).action(async (name: string, address: string, location: Location) => {
    await withBackend(location, context, async ({ subscriptions }) => {
      await findSubscription(subscriptions, name);
      await subscriptions.resubscribe(name, address);
      terminal.out(`${address} gets mail from ${name} again`);
    });
    exit(0);
  });
}
