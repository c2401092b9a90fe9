import { afterAll, afterEach, expect } from "vitest";
import type { Driver } from "../src/store/driver.ts";
import { openService, type OpenOptions, type TestService } from "./open-service.ts";

/** What a refused call must leave as it was. Refunds stand in `payments`. */
const tables = ["payments", "events", "deliveries", "subscriptions", "tokens"] as const;

type Stored = Record<(typeof tables)[number], readonly object[]>;

/**
 * Opens services whose refused calls are held against what is stored: after each test of the file,
 * the tables hold row for row what they held before each call that was answered with 400 or more.
 *
 * Only for calls that are not made beside others that store something.
 *
 * @returns What opens a service, as `openService` does.
 */
export function watchRefusals(): (options?: OpenOptions) => Promise<TestService> {
  let watched = 0;
  let left: { call: string; before: Stored; after: Stored }[] = [];
  afterEach(() => {
    const found = left;
    left = [];
    for (const { call, before, after } of found)
      expect({ call, ...after }).toEqual({ call, ...before });
  });
  // A file without a refusal would prove nothing.
  afterAll(() => expect(watched).toBeGreaterThan(0));
  return async (options) => {
    const open = await openService(options);
    const { driver } = open.service;
    const call: TestService["call"] = async (method, path, sent) => {
      const before = await stored(driver);
      const answer = await open.call(method, path, sent);
      if (answer.status < 400) return answer;
      watched += 1;
      left.push({ call: `${method} ${path}`, before, after: await stored(driver) });
      return answer;
    };
    return { ...open, call };
  };
}

async function stored(driver: Driver): Promise<Stored> {
  const rows = tables.map(async (table) => [
    table,
    await driver.query<object>(`SELECT * FROM ${table} ORDER BY 1`),
  ]);
  // One entry for each of `tables`.
  return Object.fromEntries(await Promise.all(rows)) as Stored;
}
