import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { ciAfter } from "../../../test/tags.ts";
import { postgresBinaries, sharedPostgres } from "../../receiver/test/inboxes/servers.ts";
import { DueRefunds } from "../src/due-refunds.ts";
import { StoreUnavailableError } from "../src/store/driver.ts";
import { postgresDriver } from "../src/store/postgres/driver.ts";
import { fill } from "./delivery/backlog.ts";
import { answered, fakeTransport, Queue } from "./delivery/queue.ts";
import { openService, type OpenOptions, type TestService } from "./open-service.ts";
import { noDisk, smallDisk } from "./store/small-disk.ts";
import { settlePayment } from "../src/use-cases/payments.ts";

const page = readFileSync(new URL("../../../docs/guides/alerts.md", import.meta.url), "utf8");
const rules = (
  parse(/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "") as {
    groups: { rules: { alert: string; expr: string }[] }[];
  }
).groups.flatMap((group) => group.rules);

/** Returns the sum of the series that a selector chooses; `undefined` without a series. */
function valueOf(text: string, name: string, labels: string | undefined): number | undefined {
  const [, label = "", , wanted = ""] = /^\{(\w+)=(~?)"([^"]*)"\}$/.exec(labels ?? "") ?? [];
  const values = text
    .split("\n")
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .filter((line) => label === "" || new RegExp(`[{,]${label}="${wanted}"`).test(line))
    .map((line) => Number(line.slice(line.lastIndexOf(" "))));
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

/** True if a rule's expression holds, after so much time that `increase` and `delta` cover both texts. */
function fires(expr: string, before: string, after: string): boolean {
  const absent = /^absent\((\w+)\)$/.exec(expr);
  if (absent !== null) return valueOf(after, absent[1] ?? "", undefined) === undefined;
  const form = /^(?:(increase|delta)\()?(\w+)(\{[^}]*\})?(?:\[\w+\]\))? (==|<|>) ([\de.]+)$/;
  const [, change, name = "", labels, operator, limit] = form.exec(expr) ?? [];
  if (operator === undefined) throw new Error(`unknown form of expression: ${expr}`);
  const now = valueOf(after, name, labels);
  const value = change === undefined ? now : (now ?? 0) - (valueOf(before, name, labels) ?? 0);
  if (value === undefined) return false;
  if (operator === "==") return value === Number(limit);
  return operator === "<" ? value < Number(limit) : value > Number(limit);
}

/** Metrics as Prometheus reads them, with `up`. Gauges are kept for some seconds. */
async function scrape({ service, clock }: TestService): Promise<string> {
  clock.advance(10_000);
  try {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return `${text}up 1\n`;
  } catch {
    return "up 0\n";
  }
}

type Fault = () => unknown;

const failWrites = ({ hooks }: TestService): void => {
  const cause = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  hooks.commit = () => {
    throw new StoreUnavailableError("the database cannot be used", { cause });
  };
};
const refund = async ({ pay, context, merchant, ...open }: TestService): Promise<void> => {
  const paymentId = await pay();
  await settlePayment(context, merchant, { paymentId });
  expect((await open.refund(paymentId)).status).toBe(201);
};
/** A subscription with deliveries that wait, which no engine attempts. */
const subscribed = async (open: TestService): Promise<void> => {
  expect((await open.subscribe()).status).toBe(200);
  await refund(open);
};

let disk: ReturnType<typeof smallDisk> | undefined;

/** Databases of the faults that need a special one. */
const databases: Readonly<Record<string, () => Promise<OpenOptions>>> = {
  CountersignDiskFillsUp: async () => {
    disk = smallDisk(1100);
    return { file: join(disk.folder, "service.db") };
  },
  CountersignCallsWait: async () => {
    const server = await sharedPostgres();
    onTestFinished(() => server.stop());
    const url = server.urlOf(await server.create());
    return { driver: postgresDriver({ url, maxConnections: 2 }) };
  },
};

/** Each brings about what must be there before, and returns its fault. */
const faults: Readonly<Record<string, (open: TestService) => Fault | Promise<Fault>>> = {
  CountersignDown: (open) => () => open.service.close(),
  CountersignNotReady: (open) => async () => {
    failWrites(open);
    await open.subscribe();
  },
  CountersignStoreFails: (open) => async () => {
    failWrites(open);
    await open.subscribe();
  },
  CountersignServerErrors: (open) => async () => {
    failWrites(open);
    for (let calls = 0; calls < 11; calls += 1) await open.subscribe();
  },
  CountersignDiskFillsUp: () => () => disk?.fill(500 * 2 ** 20),
  CountersignWalGrows: async (open) => {
    const [main] = await open.rows("PRAGMA database_list");
    const reader = new DatabaseSync(String(main?.["file"]), { readOnly: true });
    onTestFinished(() => reader.close());
    return async () => {
      reader.exec("BEGIN; SELECT count(*) FROM merchants");
      await open.write("CREATE TABLE large (text text)");
      const insert = "INSERT INTO large (text) VALUES ($1)";
      for (let rows = 0; rows < 3; rows += 1) await open.write(insert, "x".repeat(24 * 2 ** 20));
    };
  },
  CountersignCallsWait:
    ({ driver, rows }) =>
    () => {
      const over = new AbortController();
      onTestFinished(() => over.abort());
      const again = async (work: () => Promise<unknown>): Promise<void> => {
        while (!over.signal.aborted) await work().catch(() => undefined);
      };
      // The scrape needs a connection too, so the lock ends; a slow scrape sees the calls behind a later one.
      const lock = again(() =>
        driver.exclusive(async (tx) => {
          await tx.query("LOCK TABLE merchants");
          await setTimeout(500);
        }),
      );
      const calls = Array.from({ length: 60 }, () => again(() => rows("SELECT id FROM merchants")));
      void Promise.all([lock, ...calls]);
    },
  CountersignNobodyDelivers: async ({ write }) => {
    await write("INSERT INTO delivery_members (id, beat) VALUES ('a', 1)");
    return () => write("DELETE FROM delivery_members");
  },
  CountersignDeliveriesLate: async (open) => {
    await subscribed(open);
    return () => open.clock.advance(400_000);
  },
  CountersignBacklog: async (open) => {
    await subscribed(open);
    const key = "(SELECT key FROM subscriptions)";
    return () => fill(open.driver, { count: 10_001, key, nextAt: 0 });
  },
  CountersignDeliveriesExhausted: async (open) => {
    await subscribed(open);
    return () => open.write("UPDATE deliveries SET state = 'exhausted', next_at = NULL");
  },
  CountersignSubscriptionPaused: async (open) => {
    await subscribed(open);
    return () => open.write("UPDATE subscriptions SET status = 'PAUSED'");
  },
  CountersignRefundsLate: async (open) => {
    await refund(open);
    return () => open.clock.advance(30 * 86_400_000);
  },
  CountersignRefundPassedOver: async (open) => {
    const { clock, context, service, write } = open;
    await refund(open);
    const observer = { passedOver: () => service.metrics.refundPassedOver() };
    const dueRefunds = new DueRefunds({ context, observer });
    dueRefunds.start();
    onTestFinished(() => dueRefunds.stop());
    return async () => {
      await write("UPDATE payments SET original_id = NULL WHERE direction = 'CREDIT'");
      clock.advance(30 * 86_400_000);
    };
  },
  CountersignClockStepped: ({ clock, driver, service }) => {
    const observer = service.metrics.deliveries;
    new Queue(driver).engine(
      fakeTransport(() => answered(204)),
      { clock, observer },
    );
    return () => clock.step(5000);
  },
  CountersignBacklogUnknown:
    ({ hooks }) =>
    () => {
      hooks.statement = (sql) => {
        if (typeof sql === "string" && sql.includes("WITH RECURSIVE queues"))
          throw new StoreUnavailableError("canceling statement due to statement timeout");
      };
    },
};

const missing: Readonly<Record<string, string | undefined>> = {
  CountersignDiskFillsUp: noDisk,
  CountersignCallsWait: postgresBinaries === undefined ? "PostgreSQL is not installed" : undefined,
};

it("every alert of the page has a test of its fault and a row with its meaning", () => {
  expect(rules.map(({ alert }) => alert)).toEqual(Object.keys(faults));
  const rows = [...page.matchAll(/^\| `(Countersign\w+)`/gm)].map(([, alert]) => alert);
  expect(rows).toEqual(Object.keys(faults));
});

for (const [index, { alert, expr }] of rules.entries()) {
  const why = missing[alert];
  it.skipIf(why !== undefined)(
    `the alert ${alert} fires on its fault, and not before${why === undefined ? "" : ` (skipped: ${why})`}`,
    { tags: ciAfter(2, index) },
    async () => {
      const open = await openService(await databases[alert]?.());
      const inject = await faults[alert]?.(open);
      const before = await scrape(open);
      expect(fires(expr, before, before)).toBe(false);
      await inject?.();
      await expect.poll(async () => fires(expr, before, await scrape(open))).toBe(true);
      open.hooks.commit = undefined;
      open.hooks.statement = undefined;
    },
  );
}
