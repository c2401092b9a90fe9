import { profiles, type Profile } from "@countersign/schemas/profiles";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import type { Routes } from "../src/http/app.ts";
import type { Logger } from "../src/http/logger.ts";
import type { TokenIssuer } from "../src/http/token-issuer.ts";
import { startService, type RunningService } from "../src/start-service.ts";
import type { Driver } from "../src/store/driver.ts";
import { sqliteDriver } from "../src/store/sqlite-driver.ts";
import type { Merchant } from "../src/store/records.ts";
import { ManualClock } from "./manual-clock.ts";
import { temporaryDatabase, type AtEnd } from "./temporary-database.ts";
import { testVault } from "./test-vault.ts";

export interface CallOptions {
  /** Sent as it stands. */
  readonly text?: string | Buffer;
  /** Sent as JSON. */
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

export interface TestMerchant extends Merchant {
  readonly token: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

export interface TestService {
  readonly service: RunningService;
  readonly clock: ManualClock;
  readonly merchant: TestMerchant;
  readonly call: (method: string, path: string, options?: CallOptions) => Promise<TestAnswer>;
  readonly addMerchant: (scopes?: readonly string[]) => Promise<TestMerchant>;
  readonly close: () => Promise<void>;
}

export interface OpenOptions {
  readonly file?: string;
  readonly profile?: Profile;
  readonly wrap?: (driver: Driver) => Driver;
  /** An empty database, instead of a new SQLite file. */
  readonly driver?: Driver;
  readonly routes?: Routes;
  readonly logger?: Logger;
  readonly allowLoopbackHttp?: boolean;
  /** Default false: the clock stands still, and a test may make many calls. */
  readonly limitsRates?: boolean;
  readonly trustedProxies?: readonly string[];
  readonly tokenIssuer?: TokenIssuer;
  readonly metricsToken?: string;
  /** Default true. */
  readonly checksAnswers?: boolean;
  readonly onWork?: () => void;
  /** When the service is closed. Default: at the end of the running test. */
  readonly atEnd?: AtEnd;
}

/** The service over a new SQLite file and a real socket, with one merchant, on 20 November 2026. */
export async function openService(options: OpenOptions = {}): Promise<TestService> {
  const clock = new ManualClock("2026-11-20T15:00:00.000Z");
  const { wrap = (driver) => driver, atEnd = onTestFinished } = options;
  const driver = wrap(options.driver ?? sqliteDriver(options.file ?? temporaryDatabase(atEnd)));
  const service = await startService({
    driver,
    clock,
    port: 0,
    vault: testVault(),
    profile: options.profile ?? profiles.standard,
    ...(options.logger && { logger: options.logger }),
    ...(options.onWork && { onWork: options.onWork }),
    ...(options.routes && { routes: options.routes }),
    allowLoopbackHttp: options.allowLoopbackHttp ?? false,
    limitsRates: options.limitsRates ?? false,
    // Every answer of every test is held against its schema.
    checksAnswers: options.checksAnswers ?? true,
    ...(options.metricsToken !== undefined && { metricsToken: options.metricsToken }),
    ...(options.tokenIssuer && { tokenIssuer: options.tokenIssuer }),
    ...(options.trustedProxies && { trustedProxies: options.trustedProxies }),
  });
  const agent = new Agent();
  let closing: Promise<unknown> | undefined;
  const close = async (): Promise<void> => {
    await (closing ??= Promise.all([agent.close(), service.close()]));
  };
  atEnd(close);
  const addMerchant: TestService["addMerchant"] = (scopes = ["payments", "core"]) =>
    newMerchant(service, scopes);
  const merchant = await addMerchant();

  const call: TestService["call"] = async (method, path, sent = {}) => {
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
  return { service, clock, merchant, call, addMerchant, close };
}

async function newMerchant(
  { useCases }: RunningService,
  scopes: readonly string[],
): Promise<TestMerchant> {
  const made = await useCases.createMerchant({ name: "Example", clock: "live", scopes });
  if (!made.ok) throw new Error(made.code);
  const { merchant, clientId, clientSecret } = made;
  const token = await useCases.createToken({
    merchantId: merchant.id,
    clientId: null,
    scopes,
    lifetimeSeconds: null,
  });
  return { ...merchant, token, clientId, clientSecret };
}
