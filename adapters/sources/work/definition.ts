/** The first source kind: a work-management API with tasks, invoices and a daily quota (docs/your-api.md). */

import { defineSource } from '../definition.ts';
import { workResources } from './resources.ts';
import { workTraits } from './traits.ts';

export const workSource = defineSource({
  name: 'work',
  title: 'work API',
  summary: 'an API with `listcount` in its envelope and the token of a user’s profile',
  resources: workResources,
  cadences: {
    task: ['5m', '6h'],
    invoice: ['15m', '6h'],
    project: ['1h', '6h'],
    client: ['1h', '6h'],
    person: ['6h', '6h'],
    expense: ['1h', '6h'],
    document: ['1h', '6h'],
    group: ['1d', '1d'],
    projectmodule: ['6h', '6h'],
  },
  traits: workTraits,
  // The pages of records are not part of the API: their URLs are in the config.
  links: () => ({}),
  // Without a token the API refuses with its own envelope.
  async recognize(baseUrl, get) {
    const { body } = await get(`${baseUrl.replace(/\/+$/, '')}/quota/`);
    return /"code"\s*:/.test(body) && /"(?:error|quota)"\s*:/.test(body);
  },
  open: async (options) => (await import('./client.ts')).workApi(options),
});
