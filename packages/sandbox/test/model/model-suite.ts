import { describe, expect, it } from "vitest";
import { campaign } from "./campaign.ts";
import { databaseKinds } from "./databases.ts";

export interface Extent {
  readonly runs: number;
  /** What so many runs meet without luck: a campaign that does not proves little. */
  readonly answers: readonly string[];
}

/**
 * The model-based suite over each kind of database.
 *
 * @param extents By the kind's name.
 */
export function modelSuite(extents: Readonly<Record<string, Extent>>): void {
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
            const { runs = 0, answers = ["none"] } = extents[name] ?? {};
            const seen = await campaign({ connect, runs });
            expect([...seen.keys()]).toEqual(expect.arrayContaining([...answers]));
          } finally {
            databases.end();
          }
        },
      );
    }
  });
}
