import { profiles } from "@countersign/schemas/profiles";
import { Agent, request } from "undici";
import { expect, onTestFinished } from "vitest";
import type { AtEnd } from "../../../test/temporary-folder.ts";
import type { LogFields, Logger } from "../src/http/log.ts";
import { startService } from "../src/start-service.ts";
import type { Driver, SqlValue } from "../src/store/driver.ts";
import { sqliteDriver } from "../src/store/sqlite/driver.ts";
import type { Merchant } from "../src/store/tables/merchants.ts";
import { hookedDriver, type DriverHooks } from "./hooked-driver.ts";
import { ManualClock } from "./manual-clock.ts";
import { newMerchant, newPayment } from "./payments.ts";
import { temporaryDatabase } from "./temporary-database.ts";
import { testVault } from "./test-vault.ts";
import { moveDueRefunds } from "../src/use-cases/refunds.ts";

export interface CallOptions {
  /** Sent unchanged. */
  readonly text?: string | Buffer;
  readonly json?: unknown;
  /** `null` sends none. Default: the first merchant's. */
  readonly token?: string | null;
  readonly headers?: Record<string, string>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The body as JSON. */
  readonly body: unknown;
}

type LogLine = LogFields & { readonly message: string };

export type TestService = Awaited<ReturnType<typeof openService>>;

type Started = Parameters<typeof startService>[0];

/** Options of the service; rates are not limited by default, since the clock stands still. */
export interface OpenOptions extends Omit<Partial<Started>, "clock" | "port" | "vault"> {
  readonly file?: string;
  /** An empty database, instead of a new SQLite file. */
  readonly driver?: Driver;
  /** When the service is closed. Default: at the end of the running test. */
  readonly atEnd?: AtEnd;
}

/** A log whose lines a test reads. */
export function keptLog() {
  const lines: LogLine[] = [];
  const write = (fields: LogFields, message: string): void =>
    void lines.push({ ...fields, message });
  const logger: Logger = { info: write, warn: write, error: write };
  return { lines, logger };
}

/** The body of a refund request for 1.00 with the key `k`, unless `members` say otherwise. */
export const refundOrder = (paymentId: string, members: object = {}): object => ({
  paymentId,
  amount: { currency: "USD", value: 1 },
  requestKey: "k",
  ...members,
});

export const subscription = {
  url: "https://merchant.example/",
  secretKey: "correct-horse-battery-st",
  subscriptionDetails: { type: "ALL" },
} as const;

type Call = (method: string, path: string, sent?: CallOptions) => Promise<TestAnswer>;

/** The service over a new SQLite file and a real socket, with one merchant, on 20 November 2026. */
export async function openService(options: OpenOptions = {}) {
  const clock = new ManualClock("2026-11-20T15:00:00.000Z", { isStill: true });
  const { file, driver: given, atEnd = onTestFinished, ...others } = options;
  const hooks: DriverHooks = {};
  const { lines, logger } = keptLog();
  const service = await startService({
    profile: profiles.standard,
    limitsRates: () => false,
    logger,
    ...others,
    driver: hookedDriver(given ?? sqliteDriver(file ?? temporaryDatabase(atEnd)), hooks),
    clock,
    port: 0,
    vault: testVault(),
  });
  const { context, driver } = service;
  const agent = new Agent();
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    await (closing ??= Promise.all([agent.close(), service.close()]));
  };
  atEnd(close);
  const addMerchant = (scopes: readonly string[] = ["payments", "core"]) =>
    newMerchant(service, scopes);
  const merchant = await addMerchant();

  const call: Call = async (method, path, sent = {}) => {
    const { token = merchant.token } = sent;
    const body = sent.json === undefined ? sent.text : JSON.stringify(sent.json);
    const answer = await request(service.url + path, {
      // undici types the methods it knows; a test sends others too.
      method: method as "GET",
      dispatcher: agent,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...sent.headers,
      },
      ...(body !== undefined && { body }),
    });
    const text = await answer.body.text();
    const parsed: unknown = text === "" ? undefined : JSON.parse(text);
    return { status: answer.statusCode, headers: answer.headers, text, body: parsed };
  };
  return {
    service,
    context,
    driver,
    clock,
    /** Disturbs the service's database. */
    hooks,
    /** The lines of the service's log. */
    lines,
    merchant,
    call,
    addMerchant,
    close,
    ...requestsBy(call),
    /** A payment of 100.00 by a new customer of the first merchant, or as the options say. */
    pay: ({ merchant: of = merchant, ...payment }: PayOptions = {}): Promise<string> =>
      newPayment(service, of, payment),
    /** Moves the refunds that are due on the live clock. @returns How many moved. */
    sweep: (now = clock.now()): Promise<number> =>
      moveDueRefunds(context, { now, clockId: "live" }),
    rows: (sql: string, ...params: readonly SqlValue[]) =>
      driver.query<Record<string, unknown>>(sql, params),
    write: (sql: string, ...params: readonly SqlValue[]) =>
      driver.transaction((tx) => tx.query(sql, params)),
  };
}

type PayOptions = NonNullable<Parameters<typeof newPayment>[2]> & { readonly merchant?: Merchant };

/** Tables that a refused call must leave as they were. Refunds are in `payments`. */
const WATCHED = ["payments", "events", "deliveries", "subscriptions", "tokens"];

export const storedRows = ({ rows }: Pick<TestService, "rows">): Promise<unknown> =>
  Promise.all(WATCHED.map((table) => rows(`SELECT * FROM ${table} ORDER BY 1`)));

/** `openService`, whose refused calls must store nothing. Only for calls that run one after the other. */
export async function openWatched(options?: OpenOptions): Promise<TestService> {
  const open = await openService(options);
  const call: Call = async (method, path, sent) => {
    const before = await storedRows(open);
    const answer = await open.call(method, path, sent);
    const name = `${method} ${path}`;
    if (answer.status >= 400) expect([name, await storedRows(open)]).toEqual([name, before]);
    return answer;
  };
  return { ...open, call, ...requestsBy(call) };
}

const requestsBy = (call: Call) => ({
  /** Requests a refund of 1.00 with the key `k`, or as `members` say. */
  refund: (paymentId: string, members?: object, sent?: Pick<CallOptions, "token">) =>
    call("POST", "/v1/refunds", { json: refundOrder(paymentId, members), ...sent }),
  /** Subscribes to everything, or as `members` say. */
  subscribe: (members?: object) =>
    call("POST", "/v1/webhook/subscribe", { json: { ...subscription, ...members } }),
});
