import { IncomingMessage, request, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Queryable } from "@countersign/service/internal";
import { NewsLog } from "../src/news-log.ts";
import { Streams } from "../src/streams.ts";
import { listen as serve } from "./listen.ts";
import { openSandbox, shareSandbox, refusal, type Body, type TestSandbox } from "./open-sandbox.ts";

const open = shareSandbox();

async function listen(one: TestSandbox, token = one.token) {
  const told: { name: string; data: Body }[] = [];
  let isEnded = false;
  const type = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL("/sandbox/stream", one.sandbox.url);
    const sending = request(url, { headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const [, name = "", data] =
            /^event: (\w+)\ndata: (.*)\nid: (\S+)$/.exec(text.slice(0, end)) ?? [];
          if (data !== undefined) told.push({ name, data: JSON.parse(data) as Body });
          text = text.slice(end + 2);
        }
      });
      // A reader that is cut off sees no end.
      response.on("end", () => (isEnded = true));
      response.on("error", () => undefined);
      resolve(response.headers["content-type"] ?? "");
    });
    sending.on("error", reject);
    sending.end();
    onTestFinished(() => void sending.destroy());
  });
  return { told, type, ended: () => isEnded };
}

describe("GET /sandbox/stream", () => {
  it("streams events, deliveries and attempts as they happen, announces a slow attempt, and is read only", async () => {
    const one = await open();
    const { told, type } = await listen(one);
    expect(type).toBe("text/event-stream");
    const held = Promise.withResolvers<ServerResponse>();
    const key = await one.subscribe(await serve((_, response) => held.resolve(response)));
    const { body: event } = await one.emit();
    await expect.poll(() => told.map(({ name }) => name)).toContain("sending");
    (await held.promise).writeHead(503).end();
    await expect.poll(() => told.length).toBeGreaterThanOrEqual(5);
    // A retry may follow.
    const named = Map.groupBy(told.slice(0, 5), ({ name }) => name);
    expect(named.get("event")).toEqual([{ name: "event", data: event }]);
    const attempt = { eventId: event["id"], number: 1, status: 503, error: null };
    expect(named.get("attempt")).toMatchObject([{ data: attempt }]);
    expect(named.get("delivery")?.map(({ data }) => data["subscriptionKey"])).toEqual([key, key]);
    const answer = await one.post("/sandbox/stream");
    expect([refusal(answer), answer.headers["allow"]]).toEqual(["405 METHOD_NOT_ALLOWED", "GET"]);
  });

  it("streams every event once and in order, however many share one instant of the clock", async () => {
    const one = await open();
    const { told } = await listen(one);
    // More than are read from the database at once.
    const all = Array.from({ length: 12 }, () =>
      Promise.all(Array.from({ length: 10 }, () => one.emit())),
    );
    await Promise.all(all);
    const last = (await one.emit()).body["id"];
    await expect.poll(() => told.at(-1)?.data["id"]).toBe(last);
    const { driver } = one.sandbox.service;
    const written = await driver.query<{ id: string }>("SELECT id FROM events ORDER BY seq");
    expect(told.map(({ data }) => data["id"])).toEqual(written.slice(-121).map(({ id }) => id));
  });

  it("streams nothing of the past or of another namespace, and `gap` after its own reset", async () => {
    const one = await open();
    const token = await one.addNamespace();
    await one.post("/sandbox/customers");
    const mine = await listen(one);
    const foreign = await listen(one, token);
    await one.post("/sandbox/customers");
    await expect.poll(() => mine.told.length).toBe(1);
    await one.post("/sandbox/customers", {}, token);
    await expect.poll(() => foreign.told.length).toBe(1);
    await one.post("/sandbox/reset");
    await one.post("/sandbox/customers");
    const names = () => mine.told.map(({ name }) => name);
    await expect.poll(names).toEqual(["event", "gap", "event"]);
    expect(foreign.told).toHaveLength(1);
  });

  it("ends with the sandbox, which does not wait for readers", async () => {
    const one = await openSandbox();
    const { ended } = await listen(one);
    // Calls under way are awaited for 10 s, and then cut off.
    await one.sandbox.close();
    await expect.poll(ended).toBe(true);
  });

  it("writes nothing to a reader after the end, when an attempt ends later", async () => {
    const streams = new Streams({ query: () => Promise.resolve([]) }, "run");
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const errors: Error[] = [];
    response.on("error", (error) => errors.push(error));
    await streams.open("mer_1", response);
    streams.close();
    streams.send("mer_1", "attempt", {});
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });
});

describe("the stream's reading of the database", () => {
  type Rows = readonly object[];
  /** Streams over a database whose queries the test answers, with what one reader has got. */
  async function openOver(query: (sql: string) => Promise<Rows>) {
    const db = { query: (sql: unknown) => query(String(sql)) } as unknown as Queryable;
    const streams = new Streams(db, "run");
    onTestFinished(() => streams.close());
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const told: string[] = [];
    response.write = (text: string) => told.push(text) > 0;
    return { streams, response, told, opened: streams.open("mer_1", response) };
  }
  const event = { seq: 1, id: "evt_1", type: "t", category: "c", payload: "{}", createdAt: 0 };
  const isLook = (sql: string): boolean => sql.includes("seq > $2");

  it("is tried again a second after it failed, without another event, and rejects nothing", async () => {
    const rejected: unknown[] = [];
    const onRejected = (error: unknown): void => void rejected.push(error);
    process.on("unhandledRejection", onRejected);
    onTestFinished(() => void process.off("unhandledRejection", onRejected));
    let looks = 0;
    const { streams, told, opened } = await openOver(async (sql) => {
      if (!isLook(sql)) return [];
      looks += 1;
      if (looks === 1) throw new Error("the database is away");
      return looks === 2 ? [event] : [];
    });
    await opened;
    streams.onWork();
    await expect.poll(() => told.join("")).toContain("evt_1");
    expect(rejected).toEqual([]);
  });

  it("happens once at a time while the database does not answer, and again for events that came meanwhile", async () => {
    const answers: ((rows: Rows) => void)[] = [];
    const { streams, told, opened } = await openOver((sql) =>
      isLook(sql) ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve([]),
    );
    await opened;
    for (let count = 0; count < 3; count += 1) {
      streams.onWork();
      await new Promise(setImmediate);
    }
    expect(answers).toHaveLength(1);
    answers[0]?.([]);
    await expect.poll(() => answers.length).toBe(2);
    answers[1]?.([event]);
    await expect.poll(() => told.join("")).toContain("evt_1");
  });

  it("leaves nothing behind if the reader goes away before it is answered", async () => {
    const timers = (): number =>
      process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const answer = Promise.withResolvers<Rows>();
    const { response, told, opened } = await openOver(() => answer.promise);
    const before = timers();
    response.destroy();
    answer.resolve([]);
    await opened;
    expect(timers()).toBe(before);
    expect(told).toEqual([]);
  });
});

it("a log of news continues after a known id, with everything since and nothing before", () => {
  const log = new NewsLog("run");
  const texts = ["a", "b", "c"].map((name) => log.add(name, { name }));
  expect(texts[0]).toBe('event: a\ndata: {"name":"a"}\nid: run.1\n\n');
  expect(log.after("run.1")).toBe(`${texts[1]}${texts[2]}`);
  expect(log.after("run.3")).toBe("");
  for (const id of ["run.9", "other.1", "run.", "run.x", "", "run.-1"])
    expect([id, log.after(id)]).toEqual([id, undefined]);
});

it("a log of news keeps the last 1,000, and fewer if they are long", () => {
  const log = new NewsLog("run");
  for (let count = 0; count < 1002; count += 1) log.add("a", {});
  expect(log.after("run.1")).toBeUndefined();
  expect(log.after("run.2")).toMatch(/^event: a\ndata: \{\}\nid: run\.3\n/);
  log.add("long", { text: "x".repeat(4_000_000) });
  expect(log.after("run.1002")).toBeUndefined();
  expect(log.after("run.1003")).toBe("");
});

it("a reader of the stream who lags a megabyte behind is disconnected, and others are not", async () => {
  const streams = new Streams({ query: () => Promise.resolve([]) }, "run");
  const connectReader = async () => {
    const socket = new Socket();
    const response = new ServerResponse(new IncomingMessage(socket));
    await streams.open("mer_1", response);
    return response;
  };
  const slow = await connectReader();
  const other = await connectReader();
  // Nobody reads what the response holds.
  other.write = () => true;
  for (let sent = 0; sent < 12; sent += 1)
    streams.send("mer_1", "event", { text: "x".repeat(100_000) });
  expect([slow.destroyed, other.destroyed]).toEqual([true, false]);
  streams.close();
});
