/** The pages and actions of the console, by path under `/console`. */

import type { Child } from 'hono/jsx';
import type { PageContext, ShownPage } from './page-context.ts';
import { showAudit } from './pages/audit.tsx';
import { showDeliveries } from './pages/deliveries.tsx';
import { sendEdit, sendNew, showEdit, showNew } from './pages/edit-subscription.tsx';
import { showEvents } from './pages/events.tsx';
import { showHelp } from './pages/help.tsx';
import { addKey, dropKey, showKeys } from './pages/keys.tsx';
import { showMail } from './pages/mail-preview.ts';
import { requestScan, showNow } from './pages/now.tsx';
import { runReplay, showReplay } from './pages/replay.tsx';
import { showReplayProgress, showReplayStep } from './pages/replay-progress.tsx';
import { resendEvent } from './pages/resend.tsx';
import { retryMany, retryOne } from './pages/retry.tsx';
import { showDelivery } from './pages/show-delivery.tsx';
import { showEvent } from './pages/show-event.tsx';
import { showRecord } from './pages/show-record.tsx';
import { showSubscription } from './pages/show-subscription.tsx';
import { addSourceInForm, changeSourceInForm, dropSource, showSource, showSources } from './pages/sources.tsx';
import { pauseOne, removeOne, resubscribeOne, resumeOne, rotateOne, testOne } from './pages/subscription-buttons.tsx';
import { downloadAll, downloadOne, showSubscriptions } from './pages/subscriptions.tsx';

import { NEW_SUBSCRIPTION_PATH } from './paths.ts';

type Params = Readonly<Record<string, string>>;

export interface ConsolePage {
  /** In Hono's syntax: `/events/:id`. */
  readonly path: string;
  /** A response is sent as it is: a file. */
  show(page: PageContext, params: Params): Promise<Child | Response>;
}

export interface ConsoleAction {
  readonly path: string;
  /** Returns the address of the page to show next, or a page. */
  run(page: PageContext, params: Params, form: ReadonlyMap<string, string>): Promise<string | Child | ShownPage>;
}

export const pages: readonly ConsolePage[] = [
  { path: '/', show: showNow },
  { path: '/events', show: showEvents },
  { path: '/events/:id', show: showEvent },
  { path: '/records/:resource/:id', show: showRecord },
  { path: '/help', show: showHelp },
  { path: '/subscriptions', show: showSubscriptions },
  { path: '/subscriptions/export.yaml', show: downloadAll },
  { path: '/subscriptions/new', show: showNew },
  // A subscription with the name of the page above.
  { path: NEW_SUBSCRIPTION_PATH, show: (page) => showSubscription(page, { name: 'new' }) },
  { path: '/subscriptions/:name', show: showSubscription },
  { path: '/subscriptions/:name/edit', show: showEdit },
  { path: '/subscriptions/:name/replay', show: showReplay },
  { path: '/subscriptions/:name/replay/run', show: showReplayStep },
  { path: '/subscriptions/:name/replay/progress', show: showReplayProgress },
  { path: '/preview/mail', show: showMail },
  { path: '/subscriptions/:name/export.yaml', show: downloadOne },
  { path: '/deliveries', show: showDeliveries },
  { path: '/deliveries/:id', show: showDelivery },
  { path: '/audit', show: showAudit },
  { path: '/sources', show: showSources },
  { path: '/sources/:name', show: showSource },
  { path: '/keys', show: showKeys },
];

export const actions: readonly ConsoleAction[] = [
  { path: '/subscriptions/new', run: sendNew },
  { path: '/subscriptions/:name/edit', run: sendEdit },
  { path: '/subscriptions/:name/replay', run: runReplay },
  { path: '/subscriptions/:name/pause', run: pauseOne },
  { path: '/subscriptions/:name/resume', run: resumeOne },
  { path: '/subscriptions/:name/resubscribe', run: resubscribeOne },
  { path: '/subscriptions/:name/test', run: testOne },
  { path: '/subscriptions/:name/rotate', run: rotateOne },
  { path: '/subscriptions/:name/remove', run: removeOne },
  { path: '/deliveries/retry', run: retryMany },
  { path: '/deliveries/:id/retry', run: retryOne },
  { path: '/sources', run: addSourceInForm },
  { path: '/sources/:name', run: changeSourceInForm },
  { path: '/sources/:name/remove', run: dropSource },
  { path: '/keys', run: addKey },
  { path: '/keys/:id/remove', run: dropKey },
  { path: '/events/:id/resend', run: resendEvent },
  { path: '/sources/:name/scan', run: requestScan },
];
