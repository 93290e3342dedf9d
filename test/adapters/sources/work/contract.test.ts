import { workApi } from '../../../../adapters/sources/work/client.ts';
import { workSource } from '../../../../adapters/sources/work/definition.ts';
import { SECOND } from '../../../../core/model/time.ts';
import { describeSourceApi } from '../../../contract/source-api.ts';
import { startStill } from '../../../simulator/api-client.ts';

describeSourceApi('work', async () => {
  const simulator = await startStill({ tasks: 240 });
  const { account } = simulator;
  const open = (token: string) =>
    workApi({ baseUrl: simulator.url, token, perMinute: Number.POSITIVE_INFINITY, retries: 0 });
  const api = open(simulator.tokens.Administrator[0] ?? '');
  const strangerToken = 'not-a-token-4711';
  const stranger = open(strangerToken);
  return {
    definition: workSource,
    api,
    stranger,
    strangerToken,
    taskCount: account.list('task').length,
    rename: async (id, title) => {
      account.clock.advance(10 * SECOND);
      account.update('task', id, { title });
      account.clock.advance(10 * SECOND);
    },
    remove: async (id) => account.remove('task', id),
    now: () => new Date(account.clock.now()).toISOString(),
    close: async () => {
      await Promise.all([api.close(), stranger.close()]);
      await simulator.stop();
    },
  };
});
