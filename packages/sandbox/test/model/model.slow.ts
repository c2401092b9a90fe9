import { join } from "node:path";
import { postgresDriver, sqliteDriver, type Driver } from "@countersign/service";
import { expect, it, onTestFinished } from "vitest";
import { postgresBinaries, sharedPostgres } from "../../../receiver/test/inboxes/servers.ts";
import { campaign } from "./campaign.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const RUNS = 500;
const made = ["CREATED", "PENDING", "AUTHORIZED", "TERMINAL_FAILED"].map((one) => `201 ${one}`);
/** Answers that so many runs meet without luck: a campaign that does not proves little. */
const ANSWERS =
  "200,409 DUPLICATE_REQUEST_KEY,409 CLOCK_GOES_FORWARD,409 INVALID_TRANSITION,422 REFUND_AMOUNT_EXCEEDS_REMAINING,422 PAYMENT_ALREADY_REFUNDED"
    .split(",")
    .concat(made);

async function connector(name: "SQLite" | "PostgreSQL"): Promise<() => Driver> {
  if (name === "SQLite") {
    const file = join(temporaryFolder(), "sandbox.db");
    return () => sqliteDriver(file);
  }
  const server = await sharedPostgres();
  onTestFinished(() => server.stop());
  const url = server.urlOf(await server.create());
  return () => postgresDriver({ url });
}

it.for(["SQLite", "PostgreSQL"] as const)(
  "a sandbox on %s answers, emits and delivers as its model predicts in 500 runs",
  { timeout: 3_600_000 },
  async (name, { skip }) => {
    const isMissing = name === "PostgreSQL" && postgresBinaries === undefined;
    skip(isMissing, "PostgreSQL is not installed");
    const seen = await campaign(await connector(name), RUNS);
    expect([...seen]).toEqual(expect.arrayContaining(ANSWERS));
  },
);
