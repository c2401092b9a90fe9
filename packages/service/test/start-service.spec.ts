import { connect } from "node:net";
import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { startService } from "../src/start-service.ts";
import { sqliteDriver } from "../src/store/sqlite/driver.ts";
import { openService, refundOrder } from "./open-service.ts";
import { temporaryDatabase } from "./temporary-database.ts";
import { testVault } from "./test-vault.ts";
import { refusal } from "./validated.ts";
import { moveDueRefunds } from "../src/use-cases/refunds.ts";

describe("a service", () => {
  it("finishes the calls in flight when it closes, ends their connections, and accepts no more", async () => {
    const { service, merchant, call, refund, pay, hooks } = await openService();
    const paymentId = await pay();
    const socket = connect(service.port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    const { promise: opened, resolve: openGate } = Promise.withResolvers<void>();
    let waiting = 0;
    hooks.begin = () => {
      waiting += 1;
      return opened;
    };
    const inFlight = Array.from({ length: 20 }, (_, at) =>
      refund(paymentId, { requestKey: `k${at}` }),
    );
    const text = JSON.stringify(refundOrder(paymentId));
    socket.write(
      `POST /v1/refunds HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${merchant.token}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    await expect.poll(() => waiting).toBe(21);
    const closing = service.close({ graceMs: 60_000 });
    openGate();
    const statuses = (await Promise.all(inFlight)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    await Promise.all([closing, ended]);
    expect(received).toMatch(/^HTTP\/1.1 201 /);
    expect(received).toMatch(/^connection: close\r$/im);
    await expect(call("GET", "/healthz")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("does not wait for idle connections when it closes", async () => {
    const { service } = await openService();
    const idle = connect(service.port, "127.0.0.1");
    idle.on("error", () => {});
    await new Promise((resolve) => idle.once("connect", resolve));
    idle.write("POST /v1/refunds HTTP/1.1\r\n");
    const ended = new Promise((resolve) => idle.once("close", resolve));
    await service.close({ graceMs: 50 });
    await ended;
    expect(idle.destroyed).toBe(true);
  });

  it("starts its workers after it listens, and stops them before it closes the database", async () => {
    const order: string[] = [];
    const driver = sqliteDriver(temporaryDatabase());
    const service = await startService({
      driver,
      port: 0,
      profile: profiles.standard,
      vault: testVault(),
      workers: ({ context }) => [
        {
          start: () => order.push("start"),
          stop: async () => {
            await moveDueRefunds(context, { now: 0, clockId: "live" });
            order.push("stop");
          },
        },
      ],
    });
    const unavailable = { code: "CS_STORE_UNAVAILABLE" };
    await Promise.all([service.close(), service.close()]);
    expect(order).toEqual(["start", "stop"]);
    await expect(driver.query("SELECT 1")).rejects.toMatchObject(unavailable);
  });

  it("closes the database when its port is in use", async () => {
    const { service } = await openService();
    const driver = sqliteDriver(temporaryDatabase());
    const options = { driver, port: service.port, profile: profiles.standard, vault: testVault() };
    await expect(startService(options)).rejects.toMatchObject({ code: "EADDRINUSE" });
    await expect(driver.query("SELECT 1")).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
  });

  it("reports on /healthz that it is alive, also without its database, and on /readyz whether its database can be used", async () => {
    const { call, clock, driver } = await openService();
    const get = (path: string) => call("GET", path, { token: null });
    const health = await get("/healthz");
    expect([health.status, health.body]).toEqual([200, { status: "ok" }]);
    const ready = await get("/readyz");
    expect([ready.status, ready.body]).toEqual([200, { status: "ready" }]);
    await driver.close();
    expect((await get("/healthz")).status).toBe(200);
    clock.advance(1000);
    expect(refusal(await get("/readyz"))).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
  });
});
