import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { Metrics } from "../../src/http/metrics.ts";
import { jsonLogger } from "../../src/http/json-logger.ts";
import { systemClock } from "../../src/clock.ts";
import { openService, type TestService } from "../open-service.ts";
import { newPayment } from "../payments.ts";
import { refusal } from "../validated.ts";

/** The series of a service, by what stands before their value. */
async function series({ service }: TestService): Promise<Map<string, number>> {
  return seriesOf(await service.metrics.text());
}

function seriesOf(text: string): Map<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe("GET /metrics", () => {
  it("answers this machine in Prometheus's text form", async () => {
    const open = await openService();
    const answer = await fetch(`${open.service.url}/metrics`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(await answer.text()).toContain("# TYPE countersign_http_requests_total counter");
  });

  it.each(["forwarded", "x-forwarded-for", "via"])(
    "answers nobody whom a proxy has passed on (%s)",
    async (name) => {
      const { call } = await openService();
      const answer = await call("GET", "/metrics", { token: null, headers: { [name]: "x" } });
      expect(refusal(answer)).toEqual({ status: 401, code: "UNAUTHENTICATED" });
    },
  );

  it("needs its token where there is one, and takes no merchant's", async () => {
    const { call, service } = await openService({ metricsToken: "a-token-for-metrics" });
    expect((await call("GET", "/metrics", { token: null })).status).toBe(401);
    const merchants = await call("GET", "/metrics");
    expect(merchants.headers["www-authenticate"]).toBe('Bearer realm="metrics"');
    const headers = { authorization: "Bearer a-token-for-metrics", "x-forwarded-for": "192.0.2.1" };
    expect((await fetch(`${service.url}/metrics`, { headers })).status).toBe(200);
  });
});

describe("the metrics of calls", () => {
  it("count by route, method and status, and never by what a stranger invents", async () => {
    const open = await openService();
    for (const id of ["canary1", "canary2"]) await open.call("GET", `/v1/customers/${id}`);
    for (const path of ["/canary3", "/v1/canary4"]) await open.call("GET", path);
    await open.call("PROPFIND", "/v1/refunds");
    const text = await open.service.metrics.text();
    expect(text).not.toMatch(/canary|PROPFIND/);
    const counted = seriesOf(text);
    const label = (method: string, route: string, status: number): string =>
      `countersign_http_requests_total{method="${method}",route="${route}",status="${status}"}`;
    expect(counted.get(label("GET", "/v1/customers/:customerId", 404))).toBe(2);
    expect(counted.get(label("GET", "none", 404))).toBe(2);
    expect(counted.get(label("other", "/v1/refunds", 405))).toBe(1);
    const seconds = "countersign_http_request_duration_seconds_count";
    expect(counted.get(`${seconds}{route="none"}`)).toBe(2);
  });

  it("count a call whose caller has gone under no status", async () => {
    const logged: string[] = [];
    let arrived: () => void = () => {};
    const line = new Promise<void>((resolve) => (arrived = resolve));
    const logger = jsonLogger({
      clock: systemClock,
      write: (text) => {
        logged.push(text);
        arrived();
      },
    });
    const open = await openService({ logger });
    const socket = connect(open.service.port, "127.0.0.1");
    socket.write(
      `POST /v1/refunds HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-type: application/json\r\nauthorization: Bearer ${open.merchant.token}\r\ncontent-length: 9\r\n\r\n`,
    );
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await line;
    const counted = await series(open);
    const name = `countersign_http_requests_total{method="POST",route="/v1/refunds",status="none"}`;
    expect(counted.get(name)).toBe(1);
  });
});

describe("the metrics of refunds", () => {
  it("count each refund once, by its first state, and those whose hold ended", async () => {
    const open = await openService();
    const paymentId = await newPayment(open.service, open.merchant);
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    await open.call("POST", "/v1/refunds", { json });
    await open.call("POST", "/v1/refunds", { json });
    await open.service.useCases.settlePayment(open.merchant, { paymentId });
    open.clock.advance(30 * 86_400_000);
    await open.service.useCases.moveDueRefunds({ now: open.clock.now(), clockId: "live" });
    const counted = await series(open);
    expect(counted.get('countersign_refunds_total{status="PENDING"}')).toBe(1);
    expect(counted.get("countersign_refunds_moved_total")).toBe(1);
  });
});

describe("the metrics of deliveries", () => {
  it("count attempts by their answer's class and by what became of the delivery", async () => {
    const metrics = new Metrics();
    const settled = { id: "del_1", attempt: 1, state: "waiting", nextAt: 0 } as const;
    const told = (answer: object): void =>
      metrics.deliveries.attempted({
        // Of an attempt its answer alone is counted.
        attempt: { answer } as never,
        settled,
        now: 0,
      });
    told({ kind: "answered", status: 503 });
    told({ kind: "answered", status: 500 });
    told({ kind: "unanswered", code: "CS_ATTEMPT_TIMEOUT" });
    metrics.deliveries.paused("sub_canary");
    metrics.deliveries.passedOver({ id: "ref_canary", error: undefined });
    metrics.deliveries.failed(new Error("canary"));
    const text = await metrics.text();
    expect(text).not.toContain("canary");
    const counted = seriesOf(text);
    const attempts = "countersign_delivery_attempts_total";
    expect(counted.get(`${attempts}{answer="5xx",delivery="waiting"}`)).toBe(2);
    expect(counted.get(`${attempts}{answer="CS_ATTEMPT_TIMEOUT",delivery="waiting"}`)).toBe(1);
    expect(counted.get("countersign_subscriptions_paused_total")).toBe(1);
    expect(counted.get("countersign_refunds_passed_over_total")).toBe(1);
    expect(counted.get("countersign_delivery_failures_total")).toBe(1);
  });
});

describe("two services in one process", () => {
  it("count apart", async () => {
    const [one, other] = [await openService(), await openService()];
    await one.call("GET", "/healthz", { token: null });
    const name = 'countersign_http_requests_total{method="GET",route="/healthz",status="200"}';
    expect([(await series(one)).get(name), (await series(other)).get(name)]).toEqual([
      1,
      undefined,
    ]);
  });
});
