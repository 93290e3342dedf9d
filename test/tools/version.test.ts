/** One version, that of package.json, everywhere a version is shown. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { USER_AGENT } from '../../adapters/http/user-agent.ts';
import { openApiDocument } from '../../manage/api/http/openapi.ts';
import { routes } from '../../manage/api/routes.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

it('is the version of the lockfile, the management API and the events', () => {
  const lock = JSON.parse(read('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  expect(openApiDocument(routes).info.version).toBe(version);
  expect(JSON.parse(read('schema/asyncapi.json')).info.version).toBe(version);
  expect(USER_AGENT).toBe(`Tidings/${version}`);
});

it('is the newest version of the changelog, below what is not released', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.*)$/gm)].map(([, heading = '']) => heading);
  expect(headings[0]).toBe('Unreleased');
  expect(headings[1]).toMatch(new RegExp(`^${version.replaceAll('.', '\\.')} - \\d{4}-\\d\\d-\\d\\d$`));
  const groups = [...read('CHANGELOG.md').matchAll(/^### (.*)$/gm)].map(([, group = '']) => group);
  expect(['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']).toEqual(expect.arrayContaining(groups));
});

it('is the version of the tarball in the docs', () => {
  const names = ['docs/aws.md', 'docs/self-hosting.md'].flatMap(
    (page) => read(page).match(/tidings-[\d.]+\.tgz/g) ?? [],
  );
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names)).toEqual(new Set([`tidings-${version}.tgz`]));
});
