/** Where people open a record, from the config's templates. Pure. */

import type { TidingsEvent } from '../model/event.ts';

/** By resource: `https://work.example.com/tasks/view/{localid}`. Any field of the record may stand in braces. */
export type Links = Readonly<Record<string, string>>;

/** Undefined where the config has no template for it, or the record lacks a field the template names. */
export function linkTo(
  links: Links,
  { subject, data: { record } }: Pick<TidingsEvent, 'subject' | 'data'>,
): string | undefined {
  const template = links[subject.slice(0, subject.indexOf('/'))];
  if (template === undefined) return undefined;
  let known = true;
  const link = template.replaceAll(/\{([A-Za-z0-9_]+)\}/g, (_, field: string) => {
    const value = record[field];
    if (typeof value === 'string' || typeof value === 'number') return encodeURIComponent(String(value).toWellFormed());
    known = false;
    return '';
  });
  return known ? link : undefined;
}

/** Far below what any channel takes. */
const LINK = 1000;

/** Undefined for what is no address of the web, or longer than any that people use. */
export function httpLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return (protocol === 'https:' || protocol === 'http:') && href.length <= LINK ? href : undefined;
}
