import { expect, it } from "vitest";
import type { SharedPostgres } from "../../packages/receiver/test/inboxes/servers.ts";
import { addressOf, engines, handlers, killedProgram, run, written } from "./engines.ts";

/** Each event is received by a process that is killed before it answers, and once more by the next process. */
export function handsOverOnce(postgres: () => SharedPostgres, kills: number): void {
  for (const [index, { name, count, server, isMissing }] of engines.entries())
    it.skipIf(isMissing)(
      `hands each event over once to ${name}, whose process is killed ${String(kills)} times before it answers${isMissing ? " (skipped: its server is not installed)" : ""}`,
      { timeout: 1_800_000 },
      async ({ onTestFinished }) => {
        const other = await server?.start();
        onTestFinished(() => other?.stop());
        const file = written(name, killedProgram(handlers[index] ?? ""));
        const database = await postgres().create();
        const env = {
          DATABASE_URL: postgres().urlOf(database),
          ...addressOf({ server }, other?.port),
        };
        const ids = Array.from({ length: kills }, (_, number) => `evt_${String(number)}`);

        for (const [number, id] of ids.entries()) {
          const events = [...ids.slice(Math.max(0, number - 1), number), id].join(" ");
          const where = number % 2 === 0 ? "handler" : "answer";
          const clock = {
            OFFSET_MS: String(number * 120_000),
            EVENTS: events,
            KILL: `${where} ${id}`,
          };
          expect(await run(file, { ...env, ...clock })).toMatch(/SIGKILL$/);
        }
        const last = { OFFSET_MS: String(kills * 120_000), EVENTS: ids.join(" ") };
        expect(await run(file, { ...env, ...last })).toMatch(/0$/);

        expect(await count(env)).toEqual({ jobs: kills, events: kills });
      },
    );
}
