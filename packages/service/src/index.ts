export { type Clock, systemClock } from "./clock.ts";
export { type Random, systemRandom } from "./random.ts";
export {
  type Driver,
  type Queryable,
  type SqlValue,
  StoreUnavailableError,
} from "./store/driver.ts";
export { sqliteDriver, type SqliteOptions } from "./store/sqlite-driver.ts";
export { migrate, type MigrateOptions, StoreVersionError } from "./store/migrate.ts";
