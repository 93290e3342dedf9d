/** The long form of the truth run on a real Redmine: 2,000 journalled changes. */

import { runRedmineTruth } from '../redmine/truth.ts';
import { count, differenceRows, type LongForm, type LongFormOptions } from './long-form.ts';

const CHANGES = 2000;

export async function longRedmine({ seed }: LongFormOptions): Promise<LongForm> {
  const { changes, events, polls, requests, differences } = await runRedmineTruth({ changes: CHANGES, seed });
  return {
    rows: [
      ['redmine', ''],
      ['journalled changes', count(changes)],
      ['events', count(events)],
      ['polls', count(polls)],
      ['requests of the last process', count(requests)],
      ...differenceRows(differences),
    ],
    differences,
  };
}
