import { driverSuite } from "./driver-suite.ts";
import { onStores, postgres, sqlite } from "./stores.ts";
import { storySuite } from "./story-suite.ts";

onStores([sqlite, postgres], (store) => {
  driverSuite(store);
  if (store.name !== sqlite.name) storySuite(store);
});
