/** The Slack app in the embedded mode: Socket Mode to the simulated Slack, SQLite, and the simulated account. */

import { startEmbeddedWalk } from '../../manage/slack/embedded-world.ts';
import { slackWalk } from '../../manage/slack/walk.ts';

slackWalk('embedded', startEmbeddedWalk);
