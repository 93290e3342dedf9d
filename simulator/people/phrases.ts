/**
 * Sentences people at an agency write: titles and summaries of tasks, what they did with their hours.
 * A number names a sentence, so that a million titles need no memory; the same number is always the same sentence.
 */

/** Kinds of work: what one does, and to what. */
const WORK: readonly (readonly [verbs: readonly string[], things: readonly string[]])[] = [
  [
    ['Design', 'Sketch', 'Refine', 'Rework', 'Present'],
    [
      'the landing page',
      'the pricing page',
      'icons for the app',
      'the newsletter template',
      'the trade fair banner',
      'three logo variants',
      'the product cards',
      'the checkout steps',
      'the menu on small screens',
      'the cover illustration',
      'the colour palette',
      'the event invitation',
      'the 404 page',
      'the infographic on page 12',
      'the donation form',
    ],
  ],
  [
    ['Write', 'Edit', 'Proofread', 'Shorten', 'Translate'],
    [
      'the homepage copy',
      'the “About us” page',
      'the press release',
      'the product descriptions',
      'the founder’s letter',
      'five headlines',
      'captions for the gallery',
      'the job advertisements',
      'the privacy notice',
      'the case study',
      'the welcome e-mail',
      'the voice-over',
      'the menu & wine list',
      'the FAQ',
      'the season programme',
    ],
  ],
  [
    ['Build', 'Test', 'Fix', 'Speed up', 'Document'],
    [
      'the search filter',
      'the booking calendar',
      'the contact form',
      'the newsletter sign-up',
      'the image gallery',
      'the payment step',
      'the language switch',
      'the store locator',
      'the import of old orders',
      'the cookie dialog',
      'the login for members',
      'the sitemap',
      'redirects from the old site',
      'the map with all branches',
      'the print stylesheet',
    ],
  ],
  [
    ['Plan', 'Prepare', 'Hold', 'Follow up on', 'Move'],
    [
      'the kick-off workshop',
      'the weekly call',
      'the photo shoot',
      'the user interviews',
      'the handover',
      'the budget review',
      'the content workshop',
      'the launch day',
      'the training for editors',
      'the retrospective',
    ],
  ],
  [
    ['Shoot', 'Cut', 'Retouch', 'Deliver', 'Archive'],
    [
      'the team portraits',
      'the product film',
      'stills of the kitchen',
      'the interview with the chef',
      'the teaser (15 s)',
      'aerial views of the harbour',
      'the making-of',
      'packshots of the new range',
      'the audio for episode 4',
      'the social clips',
    ],
  ],
  [
    ['Check', 'Order', 'Approve', 'Correct', 'Hand over'],
    [
      'the proofs',
      'the business cards',
      'the shop window lettering',
      'the packaging dummy',
      'the brochure, 2nd edition',
      'the posters',
      'the paper samples',
      'the annual report',
      'the tote bags',
      'the wayfinding signs',
    ],
  ],
  [
    ['Measure', 'Review', 'Set up', 'Clean up', 'Report on'],
    [
      'campaign results',
      'search rankings',
      'the tracking plan',
      'accessibility (WCAG 2.2)',
      'page speed',
      'the analytics dashboard',
      'the ad accounts',
      'bounced newsletter addresses',
      'the content inventory',
      'A/B test “blue vs. green”',
    ],
  ],
];

/** Most tasks need no more words; the blanks keep it so. */
const ADDENDA = [
  '',
  '',
  '',
  '',
  '',
  '',
  '',
  ' (round 2)',
  ' for the autumn campaign',
  ' – mobile',
  ' in French',
  ' with the client',
  ' for approval',
  ' & hand over',
  ' before the holidays',
  ' (German & English)',
  ' – urgent',
  ' for the Zürich branch',
  ' as discussed with Zoë',
  ' <draft>',
] as const;

const SUMMARIES = [
  '<p>Please keep to the style guide.</p>',
  '<p>The client sent comments, see the <a href="https://example.com/comments">list</a>.</p>',
  '<p>Needed before the next call.</p><p>Questions to the project manager.</p>',
  '<ul><li>First version</li><li>Internal review</li><li>Send to the client</li></ul>',
  '<p>Size 1200 × 630, no text in the picture.</p>',
  '<p>As last year, but shorter &amp; friendlier.</p>',
  '<p>Works in Firefox, fails in Safari.\r\nSteps are in the ticket.</p>',
  '<p>Use the photographs from the <em>spring</em> shoot.</p>',
  '<p>Estimate covers two rounds of corrections.</p>',
  '<p>Text comes from the client on Thursday.</p>',
  '<p>Ask Legal about the wording in § 3.</p>',
  '<p>Keep the old address working: printed material points there.</p>',
] as const;

const WORK_DONE = [
  'First draft',
  'Corrections after feedback',
  'Call with the client',
  'Internal review',
  'Research',
  'Final files & hand-over',
  'Fixes after testing',
  'Second version',
  'Briefing read, questions sent',
  'Set-up and structure',
  'Photo selection',
  'Meeting, minutes written',
] as const;

export function titlePhrase(code: number): string {
  const [work, rest] = split(code, WORK);
  const [verb, more] = split(rest, work[0]);
  const [thing, last] = split(more, work[1]);
  return `${verb} ${thing}${split(last, ADDENDA)[0]}`;
}

export function summaryPhrase(code: number): string {
  const [first, rest] = split(code, SUMMARIES);
  const [second, last] = split(rest, SUMMARIES);
  return last % 3 === 0 && first !== second ? `${first}\r\n${second}` : first;
}

export function workPhrase(code: number): string {
  return split(code, WORK_DONE)[0];
}

/** The item a number names, and what is left of the number. */
function split<T>(code: number, list: readonly T[]): [item: T, rest: number] {
  const item = list[code % list.length];
  if (item === undefined) throw new RangeError(`phrases: no phrase ${code}`);
  return [item, Math.floor(code / list.length)];
}
