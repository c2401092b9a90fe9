import { sqliteInbox } from "@countersign/receiver/sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { many, recordMany } from "../../receiver/test/reconcile-many.ts";
import { openService, type TestService } from "../../service/test/open-service.ts";
import { listen } from "../../service/test/sandbox/listen.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ran, type Ran } from "./ran.ts";
import { insertEvent } from "../../service/src/store/tables/deliveries.ts";

const idOf = (number: number): string => `evt_${String(number).padStart(6, "0")}`;

/** A service with that many events of its merchant, all written concurrently. */
async function serviceWith(count: number): Promise<TestService> {
  const open = await openService();
  const createdAt = Date.now() - 1_800_000;
  const timestamp = new Date(createdAt).toISOString();
  await open.driver.transaction(async (tx) => {
    for (let number = 0; number < count; number += 1) {
      const event = { id: idOf(number), type: "payment.succeeded", category: "PAYMENT" };
      const payload = JSON.stringify({ ...event, timestamp, data: { paymentId: "pay_1" } });
      // oxlint-disable-next-line no-await-in-loop -- one transaction
      await insertEvent(tx, open.merchant, { ...event, payload, createdAt });
    }
  });
  return open;
}

async function reconcile(
  { service, merchant }: TestService,
  database: string,
  ...args: readonly string[]
): Promise<Ran> {
  const url = `${service.url}/v1/events`;
  return ran(
    [
      "inbox",
      "reconcile",
      "--provider",
      "reference",
      "--since",
      "1h",
      "--list-url",
      url,
      "--database",
      database,
      ...args,
    ],
    { COUNTERSIGN_REFERENCE_TOKEN: merchant.token },
  );
}

async function inboxWith(record?: typeof many): Promise<string> {
  const path = join(temporaryFolder(), "inbox.db");
  const inbox = sqliteInbox(path);
  const now = Date.now() - 1_700_000;
  if (record !== undefined) await recordMany(inbox, record, { provider: "reference", idOf, now });
  inbox.close();
  return path;
}

describe("countersign inbox reconcile against the reference service", () => {
  it("prints an event that never arrived and one that is only here, and exits with 1", async () => {
    const open = await serviceWith(3);
    const database = await inboxWith({ count: 1000, missing: new Set([1]), dead: new Set([2]) });

    const { status, out, err } = await reconcile(open, database, "--json");

    const lines = out
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect({ status, err }).toEqual({ status: 1, err: "" });
    expect(lines).toContainEqual(
      expect.objectContaining({ kind: "never-arrived", id: idOf(1), type: "payment.succeeded" }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ kind: "dead", id: idOf(2) }));
    expect(lines).toContainEqual(expect.objectContaining({ kind: "only-here", id: "foreign_a" }));
    expect(lines.at(-1)).toMatchObject({ listed: 3, handled: 1, neverArrived: 1, dead: 1 });
  });

  it("exits with 0 if every listed event is handled", async () => {
    const open = await serviceWith(0);

    expect(await reconcile(open, await inboxWith())).toEqual({
      status: 0,
      out: "",
      err: "0 listed, 0 handled, 0 never arrived, 0 unhandled, 0 dead, 0 only here\n",
    });
  });

  it("exits with 2 and the code of the list's error if the provider refuses the token", async () => {
    const open = await serviceWith(0);
    const merchant = { ...open.merchant, token: "wrong-token" };

    const { status, err } = await reconcile({ ...open, merchant }, await inboxWith());

    expect(status).toBe(2);
    expect(err).toContain("CS_LIST_REFUSED");
    expect(err).not.toContain("wrong-token");
  });

  it("exits with 2 if a provider has no list, or cannot deliver again", async () => {
    const database = await inboxWith();
    const run = (provider: string, ...more: readonly string[]): Promise<Ran> =>
      ran(
        [
          "inbox",
          "reconcile",
          "--provider",
          provider,
          "--since",
          "1h",
          "--database",
          database,
          ...more,
        ],
        {
          COUNTERSIGN_STRIPE_TOKEN: "t",
        },
      );

    const [unlisted, again] = [await run("slack"), await run("stripe", "--redeliver")];

    expect([unlisted.status, again.status]).toEqual([2, 2]);
    for (const { err } of [unlisted, again]) expect(err).toContain("CS_LIST_UNSUPPORTED");
  });

  it("asks GitHub once for a delivery that never arrived, with --redeliver", async () => {
    const hour = new Date(Date.now() - 1_800_000).toISOString();
    const delivery = { id: 7, guid: "g-1", delivered_at: hour, event: "push", action: null };
    const asked: string[] = [];
    const url = await listen((request, response) => {
      asked.push(`${request.method ?? ""} ${new URL(request.url ?? "", "http://x").pathname}`);
      response.end(JSON.stringify([delivery]));
    });
    const database = await inboxWith();
    const args = ["--since", "1h", "--list-url", `${url}/hooks/1/deliveries`, "--redeliver"];

    const { status, err } = await ran(
      ["inbox", "reconcile", "--provider", "github", "--database", database, ...args],
      { COUNTERSIGN_GITHUB_TOKEN: "t" },
    );

    expect(asked).toEqual(["GET /hooks/1/deliveries", "POST /hooks/1/deliveries/7/attempts"]);
    expect(status).toBe(1);
    expect(err).toContain("1 never arrived");
    expect(err).toContain("1 asked for again");
  });

  it(
    "finds 37 missing, 5 dead and 3 foreign of 100,000 events",
    { tags: "ci", timeout: 600_000 },
    async () => {
      const open = await serviceWith(many.count);

      const { status, out } = await reconcile(open, await inboxWith(many), "--json");

      expect(status).toBe(1);
      expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({
        listed: 100_000,
        handled: 99_958,
        neverArrived: 37,
        unhandled: 0,
        dead: 5,
        onlyHere: 3,
      });
    },
  );
});
