import { request } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  openReceiver,
  openSandbox,
  refusal,
  TOKEN,
  type Body,
  type TestSandbox,
} from "./open-sandbox.ts";
import { SOON } from "./soon.ts";

interface Told {
  readonly name: string;
  readonly data: Body;
}

/** Listens to the stream of a namespace. */
async function listen(
  one: TestSandbox,
  token = TOKEN,
): Promise<{ told: Told[]; type: string; ended: () => boolean }> {
  const told: Told[] = [];
  let isEnded = false;
  const type = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sending = request(
      new URL("/sandbox/stream", one.sandbox.url),
      { headers },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
            const match = /^event: (\w+)\ndata: (.*)\nid: (\S+)$/.exec(text.slice(0, end));
            if (match !== null)
              told.push({ name: match[1] ?? "", data: JSON.parse(match[2] ?? "") as Body });
            text = text.slice(end + 2);
          }
        });
        response.on("close", () => (isEnded = true));
        resolve(response.headers["content-type"] ?? "");
      },
    );
    sending.on("error", reject);
    sending.end();
    onTestFinished(() => void sending.destroy());
  });
  return { told, type, ended: () => isEnded };
}

describe("the stream of a namespace", () => {
  it("tells events, deliveries and attempts as they happen", async () => {
    const one = await openSandbox();
    const receiver = await openReceiver(503);
    const key = await one.subscribe(receiver.url);
    const { told, type } = await listen(one);
    expect(type).toBe("text/event-stream");
    const { body: event } = await one.call("POST", "/sandbox/events", {
      json: { type: "customer.created" },
    });
    await expect.poll(() => told.length, SOON).toBe(4);
    const named = Map.groupBy(told, ({ name }) => name);
    expect(named.get("event")).toEqual([{ name: "event", data: event }]);
    expect(named.get("attempt")).toMatchObject([
      { data: { eventId: event["id"], number: 1, status: 503, error: null } },
    ]);
    expect(named.get("delivery")?.map(({ data }) => data["subscriptionKey"])).toEqual([key, key]);
  });

  it("tells every event once and in its order, however many share one instant of the clock", async () => {
    const one = await openSandbox();
    const { told } = await listen(one);
    const ids: unknown[] = [];
    for (let made = 0; made < 250; made += 1) {
      const { body } = await one.call("POST", "/sandbox/events", {
        json: { type: "customer.created" },
      });
      ids.push(body["id"]);
    }
    await expect.poll(() => told.at(-1)?.data["id"], SOON).toBe(ids.at(-1));
    expect(told.map(({ data }) => data["id"])).toEqual(ids);
  });

  it("tells nothing of what was before, and nothing of another namespace", async () => {
    const one = await openSandbox();
    const token = await one.addNamespace();
    const mine = await listen(one);
    const foreign = await listen(one, token);
    await one.call("POST", "/sandbox/customers");
    await one.call("POST", "/sandbox/customers");
    await expect.poll(() => mine.told.length, SOON).toBe(2);
    await one.call("POST", "/sandbox/customers", { token });
    await expect.poll(() => foreign.told.length, SOON).toBe(1);
    expect(mine.told).toHaveLength(2);
  });

  it("says gap when the namespace has been emptied, and to no other", async () => {
    const one = await openSandbox();
    const foreign = await listen(one, await one.addNamespace());
    const mine = await listen(one);
    await one.call("POST", "/sandbox/reset");
    await one.call("POST", "/sandbox/customers");
    await expect.poll(() => mine.told.map(({ name }) => name), SOON).toEqual(["gap", "event"]);
    expect(foreign.told).toEqual([]);
  });

  it("ends with the sandbox, which does not wait for its readers", async () => {
    const one = await openSandbox();
    const { ended } = await listen(one);
    const started = performance.now();
    await one.sandbox.close();
    // Who waits for calls under way waits 10 s.
    expect(performance.now() - started).toBeLessThan(8000);
    await expect.poll(ended, SOON).toBe(true);
  });

  it("is read, not written", async () => {
    const one = await openSandbox();
    const answer = await one.call("POST", "/sandbox/stream");
    expect(refusal(answer)).toEqual({ status: 405, code: "METHOD_NOT_ALLOWED" });
    expect(answer.headers["allow"]).toBe("GET");
  });
});
