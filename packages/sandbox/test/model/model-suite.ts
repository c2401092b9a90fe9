import { describe, expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { databaseKinds } from "./databases.ts";

/**
 * The model-based suite over each kind of database.
 *
 * @param runs By the kind's name.
 * @param answers What a campaign of so many runs meets without luck; without them it would prove little.
 */
export function modelSuite(
  runs: Readonly<Record<string, number>>,
  answers: readonly string[],
): void {
  describe("whatever is done to payments, refunds, subscriptions and the clock over HTTP", () => {
    for (const { name, missing, start } of databaseKinds) {
      const reason = missing === undefined ? "" : ` (skipped: ${missing})`;
      it.skipIf(missing !== undefined)(
        `is answered, told and delivered as the interface promises, on ${name}${reason}`,
        { timeout: 3_600_000 },
        async () => {
          const databases = await start();
          try {
            const connect = (kind: string) => databases.connect(kind);
            const seen = await campaign({ connect, runs: runs[name] ?? 0 });
            expect([...seen.keys()]).toEqual(expect.arrayContaining([...answers]));
          } finally {
            databases.end();
          }
        },
      );
    }
  });
}
