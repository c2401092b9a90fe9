import { loadavg } from "node:os";
import { expect, it } from "vitest";
import { sharedPostgres } from "../../packages/receiver/test/inboxes/servers.ts";
import {
  addressOf,
  engines,
  handlers,
  ownWorkers,
  run,
  timedProgram,
  written,
} from "../hand-over/engines.ts";

const EVENTS = 300;
const ROUNDS = 3;

// Events a second that a receiver with 9 attempts at a time hands over, in turns; the median of each.
it("hands events over", async () => {
  const postgres = await sharedPostgres();
  const kinds = [
    { name: "own workers", handler: ownWorkers },
    ...engines.map(({ name, server, isMissing }, index) => ({
      name,
      server,
      isMissing,
      handler: handlers[index] ?? "",
    })),
  ];
  const rates = new Map<string, number[]>(kinds.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, handler, ...kind } of kinds) {
      const { server, isMissing = false } = { server: undefined, ...kind };
      if (isMissing) continue;
      const other = await server?.start();
      const database = await postgres.create();
      const file = written(`timed ${name}`, timedProgram(handler));
      const text = await run(file, {
        DATABASE_URL: postgres.urlOf(database),
        EVENTS: String(EVENTS),
        ...addressOf({ server }, other?.port),
      });
      await other?.stop();
      expect(text).toMatch(/^\d+$/m);
      const rate = Number(/^(\d+)$/m.exec(text)?.[1]);
      rates.get(name)?.push(rate);
    }
  await postgres.stop();
  const median = (of: readonly number[]): number =>
    of.toSorted((a, b) => a - b)[of.length >> 1] ?? 0;
  console.log(
    `load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
  for (const [name, of] of rates)
    console.log(`${name}: ${String(median(of))}/s of ${of.join(", ")}`);
});
