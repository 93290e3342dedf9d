/** Redmine 5 and later, through its REST API (docs/redmine.md). */

import { defineSource } from '../definition.ts';
import { redmineResources } from './resources.ts';
import { redmineTraits } from './traits.ts';

export const redmineSource = defineSource({
  name: 'redmine',
  title: 'Redmine',
  summary: 'Redmine 5 or later with the API access key of a user',
  resources: redmineResources,
  cadences: {
    task: ['5m', '1d'],
    project: ['6h', '6h'],
    milestone: ['1d', '1d'],
    time: ['6h', '6h'],
    person: ['1d', '1d'],
  },
  perMinute: 600,
  traits: redmineTraits,
  findUrlProblem: ({ pathname, search }) =>
    /\.json$|\/issues\/?$/.test(pathname) || search !== ''
      ? 'expected the address of the start page, such as https://redmine.example.com'
      : undefined,
  links(baseUrl) {
    const root = baseUrl.replace(/\/+$/, '');
    return {
      task: `${root}/issues/{id}`,
      project: `${root}/projects/{localid}`,
      milestone: `${root}/versions/{id}`,
      time: `${root}/time_entries/{id}/edit`,
      person: `${root}/users/{id}`,
    };
  },
  async recognize(baseUrl, get) {
    const root = baseUrl.replace(/\/+$/, '');
    const { headers } = await get(`${root}/users/current.json`);
    if (/Redmine/i.test(headers.get('www-authenticate') ?? '')) return true;
    // The REST API may be off.
    const { status, body } = await get(`${root}/login`);
    return status === 200 && /<meta name="description" content="Redmine"/.test(body);
  },
  open: async (options) => (await import('./client.ts')).redmineApi(options),
});
