/** Checks a message posted to a Discord webhook against the documented limits, and finds whom it notifies. Pure. */

import { isObject, type Json, type JsonObject, objectsOf, textOf } from '../../../simulator/chat/json.ts';

export interface DiscordProblem {
  readonly code: number;
  readonly message: string;
}

/** From Discord's reference of messages and embeds. */
const LIMITS = {
  content: 2000,
  embeds: 10,
  allEmbeds: 6000,
  title: 256,
  description: 4096,
  fields: 25,
  fieldName: 256,
  fieldValue: 1024,
  footer: 2048,
  author: 256,
  threadName: 100,
  users: 100,
} as const;

const EMPTY: DiscordProblem = { code: 50006, message: 'Cannot send an empty message' };
const invalid = (what: string): DiscordProblem => ({ code: 50035, message: `Invalid Form Body: ${what}` });

export function checkMessage(body: JsonObject): DiscordProblem | undefined {
  const embeds = body.embeds === undefined ? [] : objectsOf(body.embeds);
  if (embeds === undefined) return invalid('embeds');
  if (textOf(body.content).trim() === '' && embeds.length === 0) return EMPTY;
  const problem =
    checkText(body.content, 'content', LIMITS.content) ??
    checkText(body.thread_name, 'thread_name', LIMITS.threadName) ??
    (embeds.length > LIMITS.embeds ? 'embeds' : undefined) ??
    first(embeds.map((embed, index) => checkEmbed(embed, `embeds.${index}`))) ??
    (embeds.reduce((sum, embed) => sum + sizeOf(embed), 0) > LIMITS.allEmbeds ? 'embeds: 6000 in all' : undefined) ??
    checkMentions(body.allowed_mentions);
  return problem === undefined ? undefined : invalid(problem);
}

function checkEmbed(embed: JsonObject, path: string): string | undefined {
  const { title, description, fields, footer, color, url, timestamp } = embed;
  const list = fields === undefined ? [] : objectsOf(fields);
  if (list === undefined || list.length > LIMITS.fields) return `${path}.fields`;
  if (color !== undefined && !(Number.isInteger(color) && Number(color) >= 0 && Number(color) <= 0xff_ff_ff))
    return `${path}.color`;
  if (url !== undefined && !/^https?:\/\//.test(textOf(url))) return `${path}.url`;
  if (timestamp !== undefined && Number.isNaN(Date.parse(textOf(timestamp)))) return `${path}.timestamp`;
  if (sizeOf(embed) === 0) return `${path}: empty`;
  return (
    checkText(title, `${path}.title`, LIMITS.title) ??
    checkText(description, `${path}.description`, LIMITS.description) ??
    checkText(isObject(footer) ? footer.text : undefined, `${path}.footer.text`, LIMITS.footer) ??
    first(
      list.flatMap(({ name, value }, index) => [
        checkText(name, `${path}.fields.${index}.name`, LIMITS.fieldName, true),
        checkText(value, `${path}.fields.${index}.value`, LIMITS.fieldValue, true),
      ]),
    )
  );
}

function checkText(value: Json | undefined, path: string, max: number, isRequired = false): string | undefined {
  if (value === undefined && !isRequired) return undefined;
  if (typeof value !== 'string' || !value.isWellFormed() || value.length > max) return path;
  return isRequired && value.trim() === '' ? `${path}: required` : undefined;
}

function checkMentions(value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value) || !Array.isArray(value.parse)) return 'allowed_mentions';
  const users = value.users ?? [];
  if (!Array.isArray(users) || users.length > LIMITS.users) return 'allowed_mentions.users';
  if (users.some((id) => !/^\d{15,21}$/.test(textOf(id)))) return 'allowed_mentions.users';
  // Discord rejects a kind that is both parsed and listed.
  return users.length > 0 && value.parse.includes('users') ? 'allowed_mentions' : undefined;
}

/** The characters that count for the limit of all embeds. */
function sizeOf({ title, description, footer, fields }: JsonObject): number {
  const texts = (objectsOf(fields) ?? []).flatMap(({ name, value }) => [name, value]);
  return [title, description, isObject(footer) ? footer.text : undefined, ...texts].reduce<number>(
    (sum, text) => sum + textOf(text).trim().length,
    0,
  );
}

/** Only `content` notifies. Without `allowed_mentions` everything in it does. */
export function notifiedBy({ content, allowed_mentions: allowed }: JsonObject): readonly string[] {
  const text = textOf(content);
  const { parse, users } = isObject(allowed)
    ? { parse: allowed.parse, users: allowed.users }
    : { parse: ['everyone', 'users', 'roles'], users: [] };
  const parses = (kind: string) => Array.isArray(parse) && parse.includes(kind);
  const everyone = parses('everyone') && /@(?:everyone|here)/.test(text) ? ['everyone'] : [];
  const roles = parses('roles') ? [...text.matchAll(/<@&(\d+)>/g)].map(([, id = '']) => id) : [];
  const named = [...text.matchAll(/<@!?(\d+)>/g)].map(([, id = '']) => id);
  return [
    ...everyone,
    ...roles,
    ...named.filter((id) => parses('users') || (Array.isArray(users) && users.includes(id))),
  ];
}

const first = (problems: readonly (string | undefined)[]) => problems.find((one) => one !== undefined);
