/** Links to records in the web app, built from the templates in the config. Pure. */

import { sourceName, type TidingsEvent } from '../model/event.ts';
import type { Fields, RecordKey } from '../model/record.ts';

/**
 * Templates by resource, or by source and resource (`main/task`): `https://work.example.com/tasks/view/{localid}`, with fields of
 * the record in braces.
 */
export type Links = Readonly<Record<string, string>>;

/** Undefined if the config has no template for the resource or the record lacks a field of the template. */
export function linkTo(links: Links, event: Pick<TidingsEvent, 'source' | 'subject' | 'data'>): string | undefined {
  const resource = event.subject.slice(0, event.subject.indexOf('/'));
  return linkToRecord(links, { source: sourceName(event), resource }, event.data.record);
}

/** The same for a record as it is stored. */
export function linkToRecord(
  links: Links,
  { source, resource }: Pick<RecordKey, 'source' | 'resource'>,
  record: Fields,
): string | undefined {
  const template = links[`${source}/${resource}`] ?? links[resource];
  if (template === undefined) return undefined;
  let isComplete = true;
  const link = template.replaceAll(/\{([A-Za-z0-9_]+)\}/g, (_, field: string) => {
    const value = record[field];
    if (typeof value === 'string' || typeof value === 'number') return encodeURIComponent(String(value).toWellFormed());
    isComplete = false;
    return '';
  });
  return isComplete ? link : undefined;
}

/** Alerts about Tidings itself link to the console, if it is served at a known address. Links of the config replace them. */
export function withConsoleLinks(
  links: Links,
  manage: { readonly url?: string; readonly console?: 'on' | 'off' } | undefined,
): Links {
  if (manage?.url === undefined || manage.console !== 'on') return links;
  const console = `${manage.url.replace(/\/+$/, '')}/console`;
  return { source: console, subscription: `${console}/subscriptions/{name}`, ...links };
}

/** Far below the limit of every channel. */
const MAX_LINK_LENGTH = 1000;

/** Undefined unless it is an http or https URL of at most 1,000 characters. */
export function httpLink(link: string | undefined): string | undefined {
  if (link === undefined || !URL.canParse(link)) return undefined;
  const { protocol, href } = new URL(link);
  return (protocol === 'https:' || protocol === 'http:') && href.length <= MAX_LINK_LENGTH ? href : undefined;
}
