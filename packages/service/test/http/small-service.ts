import { profiles } from "@countersign/schemas/profiles";
import { startService } from "../../src/start-service.ts";
import { sqliteDriver } from "../../src/store/sqlite/driver.ts";
import { newMerchant } from "../payments.ts";
import { testVault } from "../test-vault.ts";

// A service in its own process, whose heap the test has limited: sends its URL and a merchant's token.
const [, , file = ""] = process.argv;
const service = await startService({
  driver: sqliteDriver(file),
  profile: profiles.standard,
  vault: testVault(),
  limitsRates: () => false,
  port: 0,
});
const { token } = await newMerchant(service, ["payments", "core"]);
process.send?.({ url: service.url, token });
process.on("disconnect", () => process.exit());
