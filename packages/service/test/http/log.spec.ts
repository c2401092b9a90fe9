import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { Metrics } from "../../src/http/metrics.ts";
import { jsonLogger } from "../../src/http/log.ts";
import { failStatement } from "../hooked-driver.ts";
import { ManualClock } from "../manual-clock.ts";
import { openService, type TestService } from "../open-service.ts";
import { refusal } from "../validated.ts";

const clock = new ManualClock("2026-11-20T15:00:00.000Z");

/** The series of a service's metrics, by name and labels. */
const seriesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
const series = async ({ service }: TestService) => seriesOf(await service.metrics.text());
const requests = (route: string, status: number | "none"): string =>
  `countersign_http_requests_total{route="${route}",status="${status}"}`;

/** The text of the answer to what is sent, when the service has closed the connection. */
async function rawAnswer(port: number, sent: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(sent);
  return Buffer.concat(await socket.toArray()).toString();
}

describe("the log of the service", () => {
  it("has one line for each call, with facts and nothing that a caller sent", async () => {
    const { call, merchant, lines } = await openService();
    const headers = { "user-agent": "canary", "x-request-id": "canary", cookie: "canary" };
    const answer = await call("GET", "/v1/customers/canary-id?q=canary", { headers });
    await call("POST", "/v1/refunds", { json: { memo: "canary" } });
    await call("POST", "/canary", { json: {}, headers });
    expect(lines).toMatchObject([
      {
        requestId: answer.headers["x-request-id"],
        method: "GET",
        status: 404,
        route: "/v1/customers/:customerId",
        merchantId: merchant.id,
        errorCode: "CUSTOMER_NOT_FOUND",
      },
      { route: "/v1/refunds", status: 400, errorCode: "INVALID_REQUEST" },
      { status: 404, errorCode: "NOT_FOUND" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("canary");
    expect(JSON.stringify(lines)).not.toContain(merchant.token);
  });

  it("B21 has the stack of an internal error, of which the caller learns nothing", async () => {
    const open = await openService();
    const paymentId = await open.pay();
    open.hooks.statement = failStatement(2);
    const answer = await open.refund(paymentId);
    expect(refusal(answer)).toEqual({ status: 500, code: "INTERNAL_SERVER_ERROR" });
    expect(answer.text).not.toMatch(/disk|SELECT|\.ts/);
    expect(open.lines.find(({ stack }) => stack)?.stack).toContain("the disk is broken");
  });

  it("says that a caller went away in the middle of a body, and counts the call without a status", async () => {
    const open = await openService();
    const { service, merchant, lines } = open;
    const socket = connect(service.port, "127.0.0.1");
    socket.write(
      `POST /v1/refunds HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\nauthorization: Bearer ${merchant.token}\r\ncontent-length: 100\r\n\r\n{"paymentId"`,
    );
    // The interim answer: the service is reading now.
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await expect.poll(() => lines.length).toBe(1);
    expect(lines).toMatchObject([{ route: "/v1/refunds", message: "call given up" }]);
    expect(lines[0]?.["status"]).toBeUndefined();
    expect((await series(open)).get(requests("/v1/refunds", "none"))).toBe(1);
  });

  it("has a line for each request target, however malformed, and each gets a coded answer", async () => {
    const { service, merchant, lines } = await openService();
    for (const [call, status, code] of [
      ["GET http://[::1", 404, "NOT_FOUND"],
      ["GET http://[::1/v1/refunds", 405, "METHOD_NOT_ALLOWED"],
      ["PUT http://a:99999999/v1/webhook/unsubscribe", 400, "INVALID_REQUEST"],
      ["GET //[::1", 404, "NOT_FOUND"],
      ["GET /%", 404, "NOT_FOUND"],
      ["OPTIONS *", 404, "NOT_FOUND"],
      ["GET HTTP://a:99999999?x", 404, "NOT_FOUND"],
      ["GET http://a/healthz", 200, undefined],
    ] as const) {
      const head = `host: x\r\nauthorization: Bearer ${merchant.token}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n`;
      const text = await rawAnswer(service.port, `${call} HTTP/1.1\r\n${head}\r\n{}`);
      const answer = [Number(text.slice(9, 12)), /"errorCode":"(\w+)"/.exec(text)?.[1]];
      expect([call, ...answer]).toEqual([call, status, code]);
    }
    await expect.poll(() => lines.length).toBe(8);
  });
});

it("a JSON log line has its level, time, message and allowed fields, no control characters and at most 9,000 characters", () => {
  const logged = (fields: object): string[] => {
    const lines: string[] = [];
    const logger = jsonLogger({ clock, write: (line) => lines.push(line) });
    logger.info(fields, "one");
    logger.error(fields, "two");
    return lines;
  };
  const hostile = "a\n\r\u001b[2J\u0085\u009b31m\u202e\u2066\u2028\u007fz";
  const fields = { requestId: "req_1", status: 201, durationMs: 3, errorName: hostile };
  const time = "2026-11-20T15:00:00.000Z";
  expect(logged(fields).map((line) => JSON.parse(line) as unknown)).toEqual([
    { level: "info", time, ...fields, message: "one" },
    { level: "error", time, ...fields, message: "two" },
  ]);
  const [line = ""] = logged({
    ...fields,
    stack: "x".repeat(100_000),
    headers: { authorization: "canary" },
    body: "canary",
    err: new Error("canary"),
    errorCode: { nested: "canary" },
  });
  expect(line).not.toContain("canary");
  // eslint-disable-next-line no-control-regex
  expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
  expect(line.length).toBeLessThan(9000);
});

describe("GET /metrics", () => {
  it("answers callers who have the token, in the Prometheus text format, and nobody else", async () => {
    const { service, call } = await openService({ metricsToken: "a-token-for-metrics" });
    expect((await call("GET", "/metrics", { token: null })).status).toBe(401);
    const merchants = await call("GET", "/metrics");
    expect(merchants.headers["www-authenticate"]).toBe('Bearer realm="metrics"');
    const headers = { authorization: "Bearer a-token-for-metrics", "x-forwarded-for": "192.0.2.1" };
    const answer = await fetch(`${service.url}/metrics`, { headers });
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await answer.text()).toContain("# TYPE countersign_http_requests_total counter");
  });

  it("refuses every caller if the service has no token, programs on this machine too", async () => {
    const { service, call } = await openService();
    expect((await fetch(`${service.url}/metrics`)).status).toBe(401);
    const refused = await call("GET", "/metrics", {
      headers: { authorization: "Bearer undefined" },
    });
    expect(refusal(refused)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
  });

  it("counts calls of its service by route and status, never by names that a stranger invents, and each refund once", async () => {
    const [open, other] = [await openService(), await openService()];
    const { service, call } = open;
    for (const path of ["/v1/customers/canary1", "/v1/customers/canary2", "/canary3"])
      await call("GET", path);
    await call("PROPFIND", "/v1/refunds");
    const paymentId = await open.pay();
    for (let i = 0; i < 2; i++) await open.refund(paymentId);
    expect(await service.metrics.text()).not.toMatch(/canary|PROPFIND/);
    const counted = await series(open);
    for (const [name, count] of [
      [requests("/v1/customers/:customerId", 404), 2],
      [requests("none", 404), 1],
      [requests("/v1/refunds", 405), 1],
      ['countersign_refunds_total{status="PENDING"}', 1],
    ] as const)
      expect([name, counted.get(name)]).toEqual([name, count]);
    expect((await series(other)).get(requests("none", 404))).toBeUndefined();
  });

  it("counts attempts by class of answer and outcome", async () => {
    const metrics = new Metrics();
    const waiting = { state: "waiting", nextAt: 0, at: 0 } as const;
    // Only the answer of an attempt is counted.
    const attempted = (answer: object): void =>
      metrics.attempted({ ...waiting, attempt: { answer } as never });
    attempted({ kind: "answered", status: 503 });
    attempted({ kind: "answered", status: 500 });
    attempted({ kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" });
    const name = "countersign_delivery_attempts_total";
    expect(Object.fromEntries(seriesOf(await metrics.text()))).toMatchObject({
      [`${name}{answer="5xx",delivery="waiting"}`]: 2,
      [`${name}{answer="CS_ATTEMPT_TIMEOUT",delivery="waiting"}`]: 1,
    });
  });
});
