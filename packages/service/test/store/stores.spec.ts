import { driverSuite } from "./driver-suite.ts";
import { onStores, pglite, postgres, sqlite, threadedSqlite } from "./stores.ts";
import { storySuite } from "./story-suite.ts";

// PGlite stands in for the dialect where there is no PostgreSQL, and takes seconds to start: where there
// is one, it is in the slow lane.
const postgresOrDialect = postgres.missing === undefined ? [postgres] : [pglite, postgres];

onStores([sqlite, threadedSqlite, ...postgresOrDialect], (store) => {
  driverSuite(store);
  if (store.name !== sqlite.name) storySuite(store);
});
