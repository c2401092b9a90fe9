import { describe, expect, it } from "vitest";
import { jsonLogger } from "../../src/http/json-logger.ts";
import type { LogFields } from "../../src/http/logger.ts";
import { ManualClock } from "../manual-clock.ts";
import { openService } from "../open-service.ts";

const clock = new ManualClock("2026-11-20T15:00:00.000Z");

function logged(fields: object, level?: "info" | "warn" | "error"): string[] {
  const lines: string[] = [];
  const logger = jsonLogger({
    clock,
    write: (line) => lines.push(line),
    ...(level !== undefined && { level }),
  });
  // A caller in JavaScript hands over what it likes.
  const given = fields as LogFields;
  logger.info(given, "one");
  logger.error(given, "two");
  return lines;
}

describe("a line of the log", () => {
  it("is one JSON object with its level, its time, its fields and its message", () => {
    const fields = { requestId: "req_1", status: 201, durationMs: 3 };
    expect(logged(fields).map((line) => JSON.parse(line) as unknown)).toEqual([
      { level: "info", time: "2026-11-20T15:00:00.000Z", ...fields, message: "one" },
      { level: "error", time: "2026-11-20T15:00:00.000Z", ...fields, message: "two" },
    ]);
  });

  it("has no field that is not allowed, whatever it is given", () => {
    const [line] = logged({
      requestId: "req_1",
      authorization: "canary",
      headers: { authorization: "canary" },
      body: "canary",
      url: "/v1?canary",
      err: new Error("canary"),
      errorCode: { nested: "canary" },
    });
    expect(line).toContain("req_1");
    expect(line).not.toContain("canary");
  });

  it("stays one line, and nothing in it works on a terminal", () => {
    const hostile = "a\n\r\u001b[2J\u0085\u009b31m\u202e\u2066\u2028\u007fz";
    const [line = ""] = logged({ errorName: hostile });
    // eslint-disable-next-line no-control-regex
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    expect(JSON.parse(line)).toMatchObject({ errorName: hostile });
  });

  it("is cut where a text is too long", () => {
    const [line = ""] = logged({ stack: "x".repeat(100_000) });
    expect(line.length).toBeLessThan(9000);
  });

  it("is written from its level on", () => {
    expect(logged({}, "error")).toHaveLength(1);
  });

  it("has nothing of what a caller sent: headers, body, query, token", async () => {
    const lines: string[] = [];
    const { call, merchant } = await openService({
      logger: jsonLogger({ clock, write: (line) => lines.push(line) }),
    });
    const headers = { "x-request-id": "canary", "user-agent": "canary", cookie: "canary" };
    await call("GET", "/v1/customers/canary?q=canary", { headers });
    await call("POST", "/v1/refunds", { json: { canary: "canary" }, headers });
    await call("POST", "/canary", { json: {}, headers });
    expect(lines).toHaveLength(3);
    expect(lines.join("")).not.toContain("canary");
    expect(lines.join("")).not.toContain(merchant.token);
  });
});
