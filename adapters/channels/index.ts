/** The channels of this build. A new channel is one folder with a definition, and one line here. */

import { busChannel } from './bus/definition.ts';
import { discordChannel } from './discord/definition.ts';
import { emailChannel } from './email/definition.ts';
import { googleChatChannel } from './google-chat/definition.ts';
import { httpChannel } from './http/definition.ts';
import { mattermostChannel } from './mattermost/definition.ts';
import { pagerDutyChannel } from './pagerduty/definition.ts';
import { rocketChatChannel } from './rocket-chat/definition.ts';
import { slackChannel } from './slack/definition.ts';
import { teamsChannel } from './teams/definition.ts';

export const CHANNELS = [
  httpChannel,
  slackChannel,
  teamsChannel,
  discordChannel,
  googleChatChannel,
  mattermostChannel,
  rocketChatChannel,
  pagerDutyChannel,
  emailChannel,
  busChannel,
] as const;
