/**
 * The section `aws` of `tidings.yaml`: how it is deployed. Kept with the config, so that no deployment forgets what the
 * one before was told. Checked everywhere, and of no meaning outside of AWS.
 */

import * as z from 'zod';
import { awsReference } from './aws-reference.ts';
import { text, url, wholeDays } from './values.ts';

const STACK = 'expected a name of letters, digits and -, with a letter first, at most 100 long';
const TELLING = 'expected true or false';
const FUNCTIONS = 'expected a whole number from 2 to 1000';
const KEY = "expected the ARN of a key such as 'arn:aws:kms:eu-central-1:123456789012:key/…'";
const REFERENCE = "expected 'ssm:/path' or 'secret:name'";

/** What CloudWatch knows to keep logs for: a choice of days, not any number of them. */
export const LOG_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
] as const;
const LOGS = `expected one of ${LOG_DAYS.map((days) => `${days}d`).join(', ')}`;

export const REMOVALS = ['retain', 'destroy'] as const;

export const awsSchema = z.strictObject({
  name: z
    .string({ error: STACK })
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/, { error: STACK })
    .optional()
    .describe(
      'Names the stack, and with it what is kept and measured. Another one is a second deployment. Default: Tidings.',
    ),
  alarmEmail: z
    .email({ error: 'expected a mail address' })
    .optional()
    .describe('Who gets mail when an alarm comes or goes. Default: no mail.'),
  runbookUrl: url
    .optional()
    .describe(
      'Where your people read docs/runbook.md: each alarm links its chapter there. Default: alarms name the chapter.',
    ),
  secretsKeyArn: text(KEY)
    .regex(/^arn:aws[\w-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, { error: KEY })
    .optional()
    .describe(
      'The KMS key that parameters and secrets are encrypted with. Default: AWS’s own, which need no permission.',
    ),
  moreSecrets: z
    .array(
      text(REFERENCE).refine((reference) => awsReference(reference) !== undefined, { error: REFERENCE }),
      { error: `expected a list: ${REFERENCE.slice(9)}` },
    )
    .optional()
    .describe(
      'References that deliver may resolve besides those of this file: of subscriptions made by hand, and of a signing secret that was replaced and still signs for a day. Default: none.',
    ),
  maxConcurrency: z
    .int({ error: FUNCTIONS })
    .min(2, { error: FUNCTIONS })
    .max(1000, { error: FUNCTIONS })
    .optional()
    .describe('Functions that deliver at the same time; each makes ten attempts at once. Default: 20.'),
  logRetention: wholeDays
    .refine((days) => LOG_DAYS.some((known) => known === days), { error: LOGS })
    .optional()
    .describe('How long logs are kept, as CloudWatch knows it: 7d, 14d, 30d, 90d, 365d and some more. Default: 30d.'),
  sourceMaps: z
    .boolean({ error: TELLING })
    .optional()
    .describe('Whether stack traces name the lines of the sources. Makes starts slower. Default: false.'),
  paused: z
    .boolean({ error: TELLING })
    .optional()
    .describe(
      'Whether everything rests: nothing is read, announced or delivered, and all of it stays. Default: false.',
    ),
  removalPolicy: z
    .enum(REMOVALS, { error: `expected one of ${REMOVALS.join(', ')}` })
    .optional()
    .describe(
      'What becomes of the data when the stack is deleted. destroy: it goes too, for trying things out. Default: retain.',
    ),
});

export type AwsSection = z.output<typeof awsSchema>;
