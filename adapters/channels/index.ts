/** The channels of this build. A new channel is one folder with a definition, and one line here. */

import { busChannel } from './bus/definition.ts';
import { discordChannel } from './discord/definition.ts';
import { emailChannel } from './email/definition.ts';
import { httpChannel } from './http/definition.ts';
import { slackChannel } from './slack/definition.ts';
import { teamsChannel } from './teams/definition.ts';

export const CHANNELS = [httpChannel, slackChannel, teamsChannel, discordChannel, emailChannel, busChannel] as const;
