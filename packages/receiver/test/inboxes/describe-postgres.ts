import { afterAll, beforeAll, describe, type TestOptions } from "vitest";
import { postgresBinaries, sharedPostgres, type SharedPostgres } from "./servers.ts";

const isMissing = postgresBinaries === undefined;
const reason = isMissing ? " (skipped: PostgreSQL is not installed)" : "";

/** A `describe` with the PostgreSQL of the run. Skipped if none is installed; the title says so. */
export function describePostgres(
  title: string,
  suite: (server: () => SharedPostgres) => void,
  options: TestOptions = {},
): void {
  describe.skipIf(isMissing)(`${title}${reason}`, options, () => {
    let server: SharedPostgres;
    beforeAll(async () => {
      server = await sharedPostgres();
    }, 60_000);
    afterAll(() => server.stop());
    suite(() => server);
  });
}
