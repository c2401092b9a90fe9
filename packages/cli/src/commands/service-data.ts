import * as service from "@countersign/service";
import { asFailure, serviceDatabase } from "../database.ts";
import { loadProfile } from "../provider.ts";
import type { Surroundings } from "../terminal.ts";

/** Options of the commands that work on the data of `countersign serve`. */
export interface DataOptions {
  readonly database: string | undefined;
  readonly json: boolean | undefined;
}

/** Help of these commands before their examples. */
export const databaseHelp = `
With SQLite, stop countersign serve first. With PostgreSQL it may be running.

Environment (also as NAME_FILE, the path of a file that holds it):
  COUNTERSIGN_DATABASE_URL   postgres://… instead of the SQLite file

Examples:
`;

/** Runs something on the service's database, with its tables up to date. Running processes find its deliveries within a second or so. */
export async function withServiceData<T>(
  options: DataOptions & { readonly profile?: string; readonly createsDatabase?: boolean },
  { env }: Surroundings,
  run: (context: service.Context) => Promise<T>,
): Promise<T> {
  const profile = await loadProfile(options.profile ?? "standard");
  const mustExist = options.createsDatabase !== true;
  const database = await serviceDatabase(options.database, env, { mustExist });
  const driver = await database.open();
  try {
    const clock = service.systemClock;
    await service.createTables(driver);
    // Running processes use the stored clock, which may differ from this machine's.
    const due = await service.dueInstantOf(driver, clock, "live");
    const dueClock = new service.DueClock({ ...clock, now: () => due });
    return await run(service.createService({ driver, profile, dueClock }).context);
  } catch (error) {
    throw asFailure(error, database.name);
  } finally {
    await driver.close();
  }
}
