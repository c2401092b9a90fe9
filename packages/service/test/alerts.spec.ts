import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { postgresBinaries, sharedPostgres } from "../../receiver/test/inboxes/servers.ts";
import { DueRefunds } from "../src/due-refunds.ts";
import { StoreUnavailableError } from "../src/store/driver.ts";
import { postgresDriver } from "../src/store/postgres/driver.ts";
import { fill } from "./delivery/backlog.ts";
import { answered, fakeTransport, Queue, SOON } from "./delivery/queue.ts";
import { hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import {
  openService,
  refundOrder,
  subscription,
  type OpenOptions,
  type TestService,
} from "./open-service.ts";
import { newPayment } from "./payments.ts";
import { noDisk, smallDisk } from "./store/small-disk.ts";
import { temporaryDatabase } from "./temporary-database.ts";

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

interface Case {
  readonly options?: () => Promise<OpenOptions>;
  /** Brings about what must be there before, then returns what brings about the fault. */
  readonly prepare: (open: TestService, hooks: DriverHooks) => Promise<() => unknown>;
}

const write = ({ service }: TestService, sql: string): Promise<unknown> =>
  service.driver.transaction((tx) => tx.query(sql));

const fault = (inject: (open: TestService, hooks: DriverHooks) => unknown): Case => ({
  prepare: async (open, hooks) => () => inject(open, hooks),
});

const failWrites = (_: TestService, hooks: DriverHooks): void => {
  const cause = Object.assign(new Error("database or disk is full"), { errcode: 13 });
  hooks.commit = () => {
    throw new StoreUnavailableError("the database cannot be used", { cause });
  };
};

/** A subscription with deliveries that wait, which no engine attempts. */
async function subscribed(open: TestService): Promise<void> {
  const { status } = await open.call("POST", "/v1/webhook/subscribe", { json: subscription });
  expect(status).toBe(200);
}
const refund = async ({ service, merchant, call }: TestService): Promise<void> => {
  const paymentId = await newPayment(service, merchant);
  await service.useCases.settlePayment(merchant, { paymentId });
  await call("POST", "/v1/refunds", { json: refundOrder(paymentId) });
};

const file = { at: "" };
const disk: { of: ReturnType<typeof smallDisk> | undefined } = { of: undefined };

const cases: Readonly<Record<string, Case>> = {
  CountersignDown: fault(({ service }) => service.close()),
  CountersignNotReady: fault(failWrites),
  CountersignStoreFails: fault(async (open, hooks) => {
    failWrites(open, hooks);
    await open.call("POST", "/v1/webhook/subscribe", { json: subscription });
  }),
  CountersignServerErrors: fault(async (open, hooks) => {
    failWrites(open, hooks);
    for (let calls = 0; calls < 11; calls += 1)
      await open.call("POST", "/v1/webhook/subscribe", { json: subscription });
  }),
  CountersignDiskFillsUp: {
    options: async () => {
      disk.of = smallDisk(1100);
      return { file: join(disk.of.folder, "service.db") };
    },
    prepare: async () => () => disk.of?.fill(500 * 2 ** 20),
  },
  CountersignWalGrows: {
    options: async () => ({ file: (file.at = temporaryDatabase()) }),
    prepare: async (open) => async () => {
      const reader = new DatabaseSync(file.at, { readOnly: true });
      onTestFinished(() => reader.close());
      reader.exec("BEGIN; SELECT count(*) FROM merchants");
      const text = "x".repeat(24 * 2 ** 20);
      for (let rows = 0; rows < 3; rows += 1)
        await open.service.driver.transaction((tx) =>
          tx.query("INSERT INTO probes (padding) VALUES ($1)", [text]),
        );
    },
  },
  CountersignCallsWait: {
    options: async () => {
      const server = await sharedPostgres();
      onTestFinished(() => server.stop());
      file.at = server.urlOf(await server.create());
      return { driver: postgresDriver({ url: file.at, maxConnections: 2 }) };
    },
    prepare: async (open) => async () => {
      const blocker = new pg.Client(file.at);
      await blocker.connect();
      await blocker.query("BEGIN; LOCK TABLE merchants");
      const calls = Array.from({ length: 60 }, () =>
        open.service.driver.query("SELECT id FROM merchants"),
      );
      // The scrape needs a connection too: it reads the waiting calls before it waits itself.
      setTimeout(() => void blocker.end(), 500);
      void Promise.allSettled(calls);
    },
  },
  CountersignNobodyDelivers: {
    prepare: async (open) => {
      await write(open, "INSERT INTO delivery_members (id, beat) VALUES ('a', 1)");
      return () => write(open, "DELETE FROM delivery_members");
    },
  },
  CountersignDeliveriesLate: {
    prepare: async (open) => {
      await subscribed(open);
      await refund(open);
      return () => open.clock.advance(400_000);
    },
  },
  CountersignBacklog: {
    prepare: async (open) => {
      await subscribed(open);
      await refund(open);
      const { driver } = open.service;
      return () =>
        fill(driver, { count: 10_001, key: "(SELECT key FROM subscriptions)", nextAt: 0 });
    },
  },
  CountersignDeliveriesExhausted: {
    prepare: async (open) => {
      await subscribed(open);
      await refund(open);
      return () => write(open, "UPDATE deliveries SET state = 'exhausted', next_at = NULL");
    },
  },
  CountersignSubscriptionPaused: {
    prepare: async (open) => {
      await subscribed(open);
      return () => write(open, "UPDATE subscriptions SET status = 'PAUSED'");
    },
  },
  CountersignRefundsLate: {
    prepare: async (open) => {
      await refund(open);
      return () => open.clock.advance(30 * 86_400_000);
    },
  },
  CountersignRefundPassedOver: {
    prepare: async (open) => {
      const { clock, service } = open;
      const { driver, metrics, useCases } = service;
      await refund(open);
      const observer = { passedOver: () => metrics.refundPassedOver() };
      const dueRefunds = new DueRefunds({ ...useCases, driver, clock, observer });
      dueRefunds.start();
      onTestFinished(() => dueRefunds.stop());
      return async () => {
        await write(open, "UPDATE payments SET original_id = NULL WHERE direction = 'CREDIT'");
        clock.advance(30 * 86_400_000);
      };
    },
  },
  CountersignClockStepped: {
    prepare: async ({ clock, service: { driver, metrics } }) => {
      const observer = metrics.deliveries;
      new Queue(driver).engine(
        fakeTransport(() => answered(204)),
        { clock, observer },
      );
      return () => clock.step(5000);
    },
  },
  CountersignBacklogUnknown: fault((_, hooks) => {
    hooks.statement = (sql) => {
      if (typeof sql === "string" && sql.includes("WITH RECURSIVE queues"))
        throw new StoreUnavailableError("canceling statement due to statement timeout");
    };
  }),
};

const missing: Readonly<Record<string, string | undefined>> = {
  CountersignDiskFillsUp: noDisk,
  CountersignCallsWait: postgresBinaries === undefined ? "PostgreSQL is not installed" : undefined,
};

it("every alert of the page has a test of its fault and a row with its meaning", () => {
  expect(rules.map(({ alert }) => alert)).toEqual(Object.keys(cases));
  const rows = [...page.matchAll(/^\| `(Countersign\w+)`/gm)].map(([, alert]) => alert);
  expect(rows).toEqual(Object.keys(cases));
});

for (const { alert, expr } of rules) {
  const why = missing[alert];
  it.skipIf(why !== undefined)(
    `the alert ${alert} fires on its fault, and not before${why === undefined ? "" : ` (skipped: ${why})`}`,
    async () => {
      const { options = async () => ({}), prepare } = cases[alert] ?? fault(() => {});
      const hooks: DriverHooks = {};
      const wrap: OpenOptions["wrap"] = (driver) => hookedDriver(driver, hooks);
      const open = await openService({ ...(await options()), wrap });
      const inject = await prepare(open, hooks);
      const before = await scrape(open);
      expect(fires(expr, before, before)).toBe(false);
      await inject();
      await expect.poll(async () => fires(expr, before, await scrape(open)), SOON).toBe(true);
      hooks.commit = undefined;
      hooks.statement = undefined;
    },
    20_000,
  );
}
