/** The channels of this build. A new channel is one folder with a definition, and one line here. */

import { busChannel } from './bus/definition.ts';
import { emailChannel } from './email/definition.ts';
import { httpChannel } from './http/definition.ts';
import { slackChannel } from './slack/definition.ts';

export const CHANNELS = [httpChannel, slackChannel, emailChannel, busChannel] as const;
