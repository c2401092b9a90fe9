import { driverSuite } from "./driver-suite.ts";
import { onStores, pglite, postgres, sqlite } from "./stores.ts";
import { storySuite } from "./story-suite.ts";

// One file, since PGlite takes seconds to start.
onStores([sqlite, pglite, postgres], (store) => {
  driverSuite(store);
  if (store.name !== sqlite.name) storySuite(store);
});
