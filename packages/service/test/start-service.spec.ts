import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { openService } from "./open-service.ts";
import { newPayment } from "./payments.ts";
import { startService } from "../src/start-service.ts";
import type { Driver } from "../src/store/driver.ts";
import { sqliteDriver } from "../src/store/sqlite-driver.ts";
import { temporaryDatabase } from "./temporary-database.ts";
import { testVault } from "./test-vault.ts";
import { profiles } from "@countersign/schemas/profiles";
import { refusal, validated } from "./validated.ts";

describe("a service that is started again", () => {
  it("knows everything that it answered before", async () => {
    const file = temporaryDatabase();
    const first = await openService({ file });
    const { merchant } = first;
    const paymentId = await newPayment(first.service, merchant);
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const asked = validated("refund", await first.call("POST", "/v1/refunds", { json }));
    const before = await first.service.driver.query("SELECT * FROM events ORDER BY rowid");
    await first.close();

    const second = await openService({ file });
    const again = await second.call("POST", "/v1/refunds", { json, token: merchant.token });
    expect(validated("problem", again).existing?.paymentId).toBe(asked.paymentId);
    const events = await second.service.driver.query("SELECT * FROM events ORDER BY rowid");
    expect(events).toEqual(before);
  });
});

describe("closing a service", () => {
  it("finishes the calls under way and takes no more", async () => {
    const gate = new Gate();
    const open = await openService({ wrap: (driver) => gate.wrap(driver) });
    const { service, merchant, call } = open;
    const paymentId = await newPayment(service, merchant);
    gate.shut();
    const underWay = Array.from({ length: 20 }, (_, i) => {
      const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: `k${i}` };
      return call("POST", "/v1/refunds", { json });
    });
    await gate.reachedBy(20);
    const closing = service.close({ graceMs: 60_000 });
    gate.open();
    const statuses = (await Promise.all(underWay)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    await closing;
    await expect(call("GET", "/healthz")).rejects.toThrow(/ECONNREFUSED/);
  });

  it("ends a connection with the answer of its last call", async () => {
    const gate = new Gate();
    const { service, merchant } = await openService({ wrap: (driver) => gate.wrap(driver) });
    const paymentId = await newPayment(service, merchant);
    const socket = connect(service.port, "127.0.0.1");
    let received = "";
    socket.on("data", (chunk) => (received += chunk.toString()));
    const ended = new Promise((resolve) => socket.once("close", resolve));
    gate.shut();
    const json = { paymentId, amount: { currency: "USD", value: 1 }, requestKey: "k" };
    const text = JSON.stringify(json);
    socket.write(
      `POST /v1/refunds HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nauthorization: Bearer ${merchant.token}\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    await gate.reachedBy(1);
    const closing = service.close({ graceMs: 60_000 });
    gate.open();
    await Promise.all([closing, ended]);
    expect(received).toMatch(/^HTTP\/1.1 201 /);
    expect(received).toMatch(/^connection: close\r$/im);
  });

  it("waits for no connection that is idle or drips", async () => {
    const { service } = await openService();
    const idle = connect(service.port, "127.0.0.1");
    await new Promise((resolve) => idle.once("connect", resolve));
    idle.write("POST /v1/refunds HTTP/1.1\r\n");
    const ended = new Promise((resolve) => idle.once("close", resolve));
    idle.on("error", () => {});
    await service.close({ graceMs: 50 });
    await ended;
    expect(idle.destroyed).toBe(true);
  });

  it("starts the workers after it listens and stops them before the database is gone", async () => {
    const order: string[] = [];
    const driver = sqliteDriver(temporaryDatabase());
    const service = await startService({
      driver,
      port: 0,
      profile: profiles.standard,
      vault: testVault(),
      workers: ({ useCases }) => [
        {
          start: () => order.push("start"),
          stop: async () => {
            await useCases.moveDueRefunds({ now: 0, clockId: "live" });
            order.push("stop");
          },
        },
      ],
    });
    await Promise.all([service.close(), service.close()]);
    expect(order).toEqual(["start", "stop"]);
    await expect(driver.query("SELECT 1")).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
  });
});

describe("a service that cannot start", () => {
  it("lets go of the database where the port is taken", async () => {
    const { service } = await openService();
    const driver = sqliteDriver(temporaryDatabase());
    const options = { driver, port: service.port, profile: profiles.standard, vault: testVault() };
    await expect(startService(options)).rejects.toMatchObject({ code: "EADDRINUSE" });
    await expect(driver.query("SELECT 1")).rejects.toMatchObject({ code: "CS_STORE_UNAVAILABLE" });
  });
});

describe("GET /healthz and /readyz", () => {
  it("say that the service lives, and that its database takes transactions", async () => {
    const { call, service } = await openService();
    const health = await call("GET", "/healthz", { token: null });
    expect([health.status, health.body]).toEqual([200, { status: "ok" }]);
    const ready = await call("GET", "/readyz", { token: null });
    expect([ready.status, ready.body]).toEqual([200, { status: "ready" }]);

    await service.driver.close();
    expect((await call("GET", "/healthz", { token: null })).status).toBe(200);
    const gone = await call("GET", "/readyz", { token: null });
    expect(refusal(gone)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
  });

  it("say no more calls before the service closes, while it still takes them", async () => {
    const { call, service } = await openService();
    service.drain();
    const ready = await call("GET", "/readyz", { token: null });
    expect(refusal(ready)).toEqual({ status: 503, code: "SERVICE_UNAVAILABLE" });
    expect(ready.headers["connection"]).toBe("close");
    expect((await call("GET", "/healthz", { token: null })).status).toBe(200);
    expect((await call("GET", "/v1/customers/c")).status).toBe(404);
  });
});

/** Holds transactions back until a test lets them through. */
class Gate {
  #opened: Promise<void> = Promise.resolve();
  #waiting = 0;
  open: () => void = () => {};
  #arrived: () => void = () => {};
  #expected = Number.POSITIVE_INFINITY;

  shut(): void {
    this.#waiting = 0;
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }

  reachedBy(count: number): Promise<void> {
    this.#expected = count;
    return new Promise((resolve) => {
      this.#arrived = resolve;
      if (this.#waiting >= count) resolve();
    });
  }

  wrap(driver: Driver): Driver {
    return {
      query: (sql, params) => driver.query(sql, params),
      transaction: async (run) => {
        if (++this.#waiting >= this.#expected) this.#arrived();
        await this.#opened;
        return driver.transaction(run);
      },
      exclusive: (run) => driver.exclusive(run),
      close: () => driver.close(),
    };
  }
}
