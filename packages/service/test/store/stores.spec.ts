import { driverSuite } from "./driver-suite.ts";
import { onStores, postgres, sqlite, threadedSqlite } from "./stores.ts";
import { storySuite } from "./story-suite.ts";

onStores([sqlite, threadedSqlite, postgres], (store) => {
  driverSuite(store);
  if (store.name !== sqlite.name) storySuite(store);
});
