/** People who work in Redmine: requests of its REST API with their own keys. */

import { isJsonObject, type JsonObject } from '../../core/model/json.ts';
import { type RedmineServer, setApiKey } from './server.ts';

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

export interface Answer {
  readonly status: number;
  readonly json: JsonObject;
}

export async function request(
  { url }: Pick<RedmineServer, 'url'>,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${url}/${path}`, {
    method,
    headers: { 'x-redmine-api-key': key, 'content-type': 'application/json' },
    // WEBrick wants a length on every PUT.
    body: method === 'GET' || method === 'DELETE' ? null : JSON.stringify(body ?? {}),
  });
  const text = await response.text();
  const json: unknown = text.trim().startsWith('{') ? JSON.parse(text) : {};
  return { status: response.status, json: isJsonObject(json) ? json : {} };
}

/** Throws unless Redmine accepts it. */
export async function act(
  server: Pick<RedmineServer, 'url'>,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<JsonObject> {
  const { status, json } = await request(server, key, method, path, body);
  if (status < 300) return json;
  throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
}

const idIn = (json: JsonObject, key: string) => Number((json[key] as JsonObject | undefined)?.id);

export async function createProject(server: RedmineServer, name: string, isPublic = true): Promise<number> {
  const identifier = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const project = { name, identifier, is_public: isPublic, tracker_ids: [1, 2, 3] };
  return idIn(await act(server, server.adminKey, 'POST', 'projects.json', { project }), 'project');
}

export async function createIssue(server: RedmineServer, key: string, issue: object): Promise<string> {
  const body = { issue: { start_date: '2026-01-01', priority_id: 2, ...issue } };
  return String(idIn(await act(server, key, 'POST', 'issues.json', body), 'issue'));
}

export const editIssue = (server: RedmineServer, key: string, id: string, issue: object) =>
  act(server, key, 'PUT', `issues/${id}.json`, { issue });

/** A person with a role in each of these projects. Roles: 3 manager, 4 developer, 5 reporter. */
export async function createPerson(
  server: RedmineServer,
  firstname: string,
  projects: readonly number[],
  role = 3,
): Promise<Person> {
  const login = firstname.toLowerCase();
  const user = { login, firstname, lastname: 'Vogt', mail: `${login}@example.com`, password: `${login}-pass-4711` };
  const id = idIn(await act(server, server.adminKey, 'POST', 'users.json', { user }), 'user');
  for (const project of projects) {
    const membership = { user_id: id, role_ids: [role] };
    await act(server, server.adminKey, 'POST', `projects/${project}/memberships.json`, { membership });
  }
  const key = id.toString(16).padStart(2, '0').repeat(20).slice(0, 40);
  setApiKey(server.database, id, key);
  return { id, name: `${firstname} Vogt`, key };
}

/** Gives a member of a project another role there. */
export async function changeRole(server: RedmineServer, { id }: Person, project: number, role: number): Promise<void> {
  const row = server.database.prepare('SELECT id FROM members WHERE user_id = ? AND project_id = ?').get(id, project);
  await act(server, server.adminKey, 'PUT', `memberships/${row?.id}.json`, { membership: { role_ids: [role] } });
}
