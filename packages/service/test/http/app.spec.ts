import { connect } from "node:net";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { errorCodes, type ErrorCode } from "../../src/error-codes.ts";
import type { LogFields, Logger } from "../../src/http/logger.ts";
import { validateProblem } from "@countersign/schemas/writers";
import { FailingDriver } from "../failing-driver.ts";
import { openService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";

describe("every answer", () => {
  it("carries an id of its own and names no software", async () => {
    const { call } = await openService();
    const ids = new Set<unknown>();
    for (const path of ["/healthz", "/v1/customers/c", "/nowhere"]) {
      const { headers } = await call("GET", path, { headers: { "x-request-id": "req_mine" } });
      ids.add(headers["x-request-id"]);
      expect(headers["x-request-id"]).toMatch(/^req_[A-Za-z0-9_-]{22}$/);
      expect(headers).not.toHaveProperty("x-powered-by");
      expect(headers).not.toHaveProperty("etag");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
    expect(ids.size).toBe(3);
  });

  it("B21 after an error of this program tells none of it", async () => {
    let failing: FailingDriver | undefined;
    const lines: LogFields[] = [];
    const write = (fields: LogFields): void => void lines.push(fields);
    const open = await openService({
      wrap: (driver) => (failing = new FailingDriver(driver)),
      logger: { info: write, warn: write, error: write },
    });
    const paymentId = await newPayment(open.service, open.merchant);
    if (failing !== undefined) failing.failStatement = 2;
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const answer = await open.call("POST", "/v1/refunds", { json });
    expect(refusal(answer)).toEqual({ status: 500, code: "INTERNAL_SERVER_ERROR" });
    expect(answer.text).not.toMatch(/disk|SELECT|\.ts/);
    // The log has what the caller has not.
    expect(lines.find(({ stack }) => stack !== undefined)?.stack).toContain("the disk is broken");
  });
});

describe("the log", () => {
  it("has one line a call, with facts and nothing that a caller sent", async () => {
    const lines: LogFields[] = [];
    const write = (fields: LogFields): void => void lines.push(fields);
    const { call, merchant } = await openService({
      logger: { info: write, warn: write, error: write },
    });
    const headers = { "user-agent": "canary-agent" };
    const { headers: answered } = await call("GET", "/v1/customers/canary-id?q=canary", {
      headers,
    });
    await call("POST", "/v1/refunds", { json: { memo: "canary-body" } });
    expect(lines).toMatchObject([
      {
        requestId: answered["x-request-id"],
        method: "GET",
        status: 404,
        route: "/v1/customers/:customerId",
        merchantId: merchant.id,
        errorCode: "CUSTOMER_NOT_FOUND",
      },
      { route: "/v1/refunds", status: 400, errorCode: "INVALID_REQUEST" },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/canary/);
    expect(JSON.stringify(lines)).not.toContain(merchant.token);
  });
});

describe("a pino logger", () => {
  it("is a logger of this service, and writes its fields", async () => {
    const written: string[] = [];
    const logger: Logger = pino(
      { base: null, timestamp: false },
      { write: (line) => written.push(line) },
    );
    const { call } = await openService({ logger });
    await call("GET", "/healthz", { token: null });
    expect(written.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 30, msg: "call", route: "/healthz", status: 200 },
    ]);
  });
});

describe("the registry of codes", () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])("has %s, which a problem may carry", (code) => {
    const { status, title, meaning } = errorCodes[code];
    const validation = validateProblem({
      type: "about:blank",
      title,
      status: status ?? 400,
      errorDetails: { errorCode: code, errorMessage: meaning },
    });
    expect(validation).toMatchObject({ ok: true });
  });
});

describe("a sender who goes away", () => {
  it("in the middle of a body is no fault of this service, and one line says so", async () => {
    const lines: [LogFields, string][] = [];
    let logged: () => void = () => {};
    const write = (fields: LogFields, message: string): void => {
      lines.push([fields, message]);
      logged();
    };
    const { service, merchant } = await openService({
      logger: { info: write, warn: write, error: write },
    });
    const line = new Promise<void>((resolve) => (logged = resolve));
    const socket = connect(service.port, "127.0.0.1");
    const head = [
      "POST /v1/refunds HTTP/1.1",
      "host: localhost",
      "expect: 100-continue",
      "content-type: application/json",
      `authorization: Bearer ${merchant.token}`,
      "content-length: 100",
      "",
      '{"paymentId"',
    ];
    socket.write(head.join("\r\n"));
    // The interim answer: the service is reading now.
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await line;
    expect(lines).toMatchObject([[{ route: "/v1/refunds" }, "call given up"]]);
    expect(lines[0]?.[0]).not.toHaveProperty("status");
  });
});
