import process from "node:process";
import { profiles } from "@countersign/schemas/profiles";
import { createService } from "../../src/create-service.ts";
import { listen } from "../../src/listen.ts";
import { postgresDriver } from "../../src/store/postgres-driver.ts";
import { sqliteDriver } from "../../src/store/sqlite-driver.ts";
import { testVault } from "../test-vault.ts";
import { bareRefunds } from "./bare-refunds.ts";

// One of the servers that are measured, in a process of its own. Sends its parent the port, and the
// processor's time that it has taken whenever it is asked.

const [kind, database = "", merchantId = ""] = process.argv.slice(2);
const driver = database.startsWith("postgres:")
  ? postgresDriver({ url: database })
  : sqliteDriver(database);
const service = createService({
  driver,
  profile: profiles.standard,
  vault: testVault(),
  limitsRates: false,
});
const app = kind === "bare" ? bareRefunds(driver, merchantId) : service.app;
const { port } = await listen(app, { port: 0 });
process.on("message", () => process.send?.(process.cpuUsage()));
process.send?.(port);
