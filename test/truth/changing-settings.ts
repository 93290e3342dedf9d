/** What a person changes in the config during a year: rules, closed statuses and the zone. */

import type { DayRules } from './calendar.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What a person changes in the config every eleven days, each time at another hour. */
export interface Settings {
  readonly rules: DayRules;
  /** @default - the zone of the account */
  readonly timeZone?: string;
}

const SHORT = {
  ...{ closedStatuses: ['Closed'], taskDueSoon: 1, taskStale: 30 },
  ...{ invoiceDueSoon: 7, invoiceOverdueReminders: [7, 14, 30], projectEndingSoon: 7 },
};
const LONG = {
  ...{ closedStatuses: ['Closed', 'Staged'], taskDueSoon: 3, taskStale: 10 },
  ...{ invoiceDueSoon: 3, invoiceOverdueReminders: [3, 14], projectEndingSoon: 14 },
};
const SETTINGS: readonly Settings[] = [
  { rules: SHORT },
  { rules: LONG },
  { rules: LONG, timeZone: 'Asia/Tokyo' },
  { rules: SHORT },
  { rules: SHORT, timeZone: 'America/Los_Angeles' },
];
const SETTINGS_CHANGE_EVERY = 11 * DAY - 5 * HOUR;

/** For a few hours another status counts as closed, or a second process runs with such a config. */
const withFlip = (settings: Settings): Settings => ({
  ...settings,
  rules: { ...settings.rules, closedStatuses: [...settings.rules.closedStatuses, 'In Progress'] },
});
const FLIPPED_SETTINGS = SETTINGS.map(withFlip);
const FLIP_EVERY = 3 * DAY + 7 * HOUR;
const FLIP_LASTS = 4 * HOUR;

/** @param sinceStart milliseconds since the run began */
export function settingsAt(sinceStart: number): Settings {
  const isFlipped = sinceStart > DAY && sinceStart % FLIP_EVERY < FLIP_LASTS;
  const current = isFlipped ? FLIPPED_SETTINGS : SETTINGS;
  const settings = current[Math.floor(sinceStart / SETTINGS_CHANGE_EVERY) % current.length];
  if (settings === undefined) throw new Error('no settings');
  return settings;
}
