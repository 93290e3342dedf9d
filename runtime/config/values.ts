/** Schemas of values that several sections of `tidings.yaml` share, their error messages, and what parsed sections need. */

import * as z from 'zod';
import type { SchemaKit } from '../../adapters/channels/definition.ts';
import { ADDRESS_LIMITS, findAddressTooLong } from '../../adapters/channels/email/mailbox.ts';
import { parseDuration } from '../../core/model/time.ts';

export const text = (expected: string) => z.string({ error: expected }).min(1, { error: expected });

const NAME = 'expected a name of at most 64 letters, digits, - and _';
export const name = z.string({ error: NAME }).regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, { error: NAME });

const DURATION = "expected a duration such as '30s', '5m', '6h' or '1d'";
export const duration = z
  .string({ error: DURATION })
  .regex(/^\d{1,9}[smhd]$/, { error: DURATION })
  .transform((text) => parseDuration(text) ?? 0);

const DAYS = "expected a number of whole days such as '1d' or '14d'";
export const wholeDays = z
  .string({ error: DAYS })
  .regex(/^\d{1,4}d$/, { error: DAYS })
  .transform((text) => Number(text.slice(0, -1)));

/** A cadence: at least one second. */
export const cadence = duration
  .refine((millis) => millis >= 1000, { error: "expected a duration of at least '1s'" })
  .meta({ pattern: '^(?!0+[smhd]$)\\d{1,9}[smhd]$' });

export function isConfigSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For `refine` on a section: the check also runs when one of the keys is invalid. */
export const whenSection = ({ value }: { readonly value: unknown }) => isConfigSection(value);

export const URL_TEXT = 'expected a URL such as https://ops.example.com/tidings';
/** Many servers refuse longer ones. */
const MAX_URL_LENGTH = 8000;
export const url = text(URL_TEXT)
  .max(MAX_URL_LENGTH, { error: `expected a URL of at most ${MAX_URL_LENGTH} characters` })
  .refine((value) => value.includes('${') || URL.canParse(value), { error: URL_TEXT })
  .meta({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*:\\S' });

const MAIL_ADDRESS = 'expected a mail address';

/** As zod's own, with the lengths of the part before the @ and of the labels of the domain: a JSON schema has no other way to say so. */
const MAIL_PATTERN =
  /^(?=[^@]{1,64}@)(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.)+[A-Za-z]{2,63}$/;

export const mailAddress = z
  .email({
    pattern: MAIL_PATTERN,
    error: ({ input }) => (typeof input === 'string' ? findAddressTooLong(input) : undefined) ?? MAIL_ADDRESS,
    abort: true,
  })
  .max(ADDRESS_LIMITS.whole, { error: ({ input }) => findAddressTooLong(String(input)) ?? MAIL_ADDRESS });

export const SECRET = 'expected text, ${NAME} for an environment variable, or file:PATH';
export const secret = text(SECRET);

export const ZONE = "expected an IANA zone such as 'Europe/Berlin'";
export const SHARE = 'expected a share from 0 to 0.95';
export const PACE = 'expected a whole number of at least 1';

/** Passed to channel definitions, which build their schemas with it. */
export const schemaKit: SchemaKit = {
  z: {
    array: z.array,
    boolean: z.boolean,
    enum: z.enum,
    int: z.int,
    json: z.json,
    literal: z.literal,
    number: z.number,
    object: z.object,
    record: z.record,
    strictObject: z.strictObject,
    string: z.string,
    union: z.union,
    unknown: z.unknown,
  },
  text,
  url,
  mailAddress,
  secret,
  whenSection,
};

/** Drops keys with the value undefined, which the schema allows. Recurses into sections, not into lists. */
export function withoutUndefined<T extends object>(section: T): Defined<T> {
  const kept = Object.entries(section).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [[key, isConfigSection(value) ? withoutUndefined(value) : value] as const];
  });
  return Object.fromEntries(kept) as Defined<T>;
}

export type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

/** `slack, teams and email` */
export function listNames(names: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
  return new Intl.ListFormat('en-GB', { type }).format(names);
}
