import { driverSuite } from "./driver-suite.ts";
import { onStores, pglite } from "./stores.ts";
import { storySuite } from "./story-suite.ts";

onStores([pglite], (store) => {
  driverSuite(store);
  storySuite(store);
});
