import { redmineApi } from '../../adapters/sources/redmine/client.ts';
import { redmineSource } from '../../adapters/sources/redmine/definition.ts';
import { describeSourceApi } from '../contract/source-api.ts';
import { act, createIssue, createProject, editIssue } from './people.ts';
import { startRedmine } from './server.ts';

const TASKS = 105;

describeSourceApi('redmine', async () => {
  const server = await startRedmine();
  const { url: baseUrl, adminKey, database } = server;
  const project = await createProject(server, 'Alpha');
  const first = await createIssue(server, adminKey, { project_id: project, subject: 'Issue 1', assigned_to_id: 1 });
  // Issues that differ in their number only need not be made by requests.
  const { id: _, ...row } = database.prepare('SELECT * FROM issues WHERE id = ?').get(Number(first)) ?? {};
  const columns = Object.keys(row);
  const insert = database.prepare(
    `INSERT INTO issues (${columns.join()}) VALUES (${columns.map((name) => `:${name}`).join()})`,
  );
  for (let number = 2; number <= TASKS; number++) {
    const { lastInsertRowid } = insert.run({ ...row, subject: `Issue ${number}`, updated_on: '2026-01-02 00:00:00' });
    database.prepare('UPDATE issues SET root_id = id WHERE id = ?').run(lastInsertRowid);
  }
  database.prepare("UPDATE issues SET updated_on = '2026-01-02 00:00:00'").run();
  const strangerToken = 'f'.repeat(40);
  const api = redmineApi({ baseUrl, token: adminKey, retries: 0 });
  const stranger = redmineApi({ baseUrl, token: strangerToken, retries: 0 });
  return {
    definition: redmineSource,
    api,
    stranger,
    strangerToken,
    taskCount: TASKS,
    rename: async (id, subject) => void (await editIssue(server, adminKey, id, { subject })),
    remove: async (id) => void (await act(server, adminKey, 'DELETE', `issues/${id}.json`)),
    now: () => new Date().toISOString(),
    close: async () => {
      await Promise.all([api.close(), stranger.close()]);
      await server.stop();
    },
  };
});
