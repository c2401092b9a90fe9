import * as service from "@countersign/service/internal";
import { asFailure, serviceDatabase } from "../database.ts";
import { loadProfile } from "../profile.ts";
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

/**
 * Runs `run` on the service's database, with its tables up to date, and closes it. Running processes learn of deliveries.
 *
 * @param options `profile`: default `standard`, for what does not depend on it. `createsDatabase`: default false, so that
 *   a misspelt file is an error.
 * @throws {Failure} The database cannot be used, or the profile is unknown.
 */
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
    await service.migrate(driver, { now: clock.now() });
    // Running processes use the stored clock, which may differ from this machine's.
    const due = await service.dueInstantOf(driver, clock, "live");
    const dueClock = new service.DueClock({ ...clock, now: () => due });
    let isWork = false;
    const onWork = (): void => void (isWork = true);
    const outcome = await run(service.createService({ driver, profile, dueClock, onWork }).context);
    // Without a notification they find it some seconds later.
    if (isWork) await service.hintAtAnything(driver).catch(() => {});
    return outcome;
  } catch (error) {
    throw asFailure(error, database.name);
  } finally {
    await driver.close();
  }
}
