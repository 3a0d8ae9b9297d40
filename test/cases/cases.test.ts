// Every case against every server.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { playFeed, playRun } from '../support/checks/play.ts';
import { servers } from '../support/servers/servers.ts';
import { type Stage, setStage } from '../support/servers/stage.ts';
import { feedCases, runCases } from './index.ts';

for (const server of servers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, 'cases');
    });
    afterAll(() => stage.close());

    const { plan } = server;
    const promised = feedCases.filter(({ plans }) => plan === undefined || plans === undefined || plans.includes(plan));
    for (const told of promised) test(told.name, () => playFeed(stage, told, plan !== undefined));
    for (const told of runCases) test(told.name, () => playRun(stage, told));
  });
}
