// Every case against every server.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { playFeed, playRun } from '../support/play.ts';
import { servers } from '../support/servers.ts';
import { type Stage, setStage } from '../support/stage.ts';
import { feedCases, runCases } from './index.ts';

for (const server of servers) {
  describe.skipIf(!server.there)(server.name, () => {
    let stage: Stage;
    beforeAll(async () => {
      stage = await setStage(server, 'cases');
    });
    afterAll(() => stage.close());

    for (const told of feedCases) test(told.name, () => playFeed(stage, told, server.plan !== undefined));
    for (const told of runCases) test(told.name, () => playRun(stage, told));
  });
}
