import { IncomingMessage, request, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Streams } from "../../src/sandbox/streams.ts";
import { listen as serve } from "./listen.ts";
import { openSandbox, shareSandbox, refusal, type TestSandbox } from "./open-sandbox.ts";

const open = shareSandbox();

async function listen(one: TestSandbox, token = one.token) {
  const received: string[] = [];
  let isEnded = false;
  const type = await new Promise<string>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const url = new URL("/sandbox/stream", one.sandbox.url);
    const sending = request(url, { headers }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        received.splice(0, received.length, ...(text.match(/^event: \w+$/gm) ?? []));
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
  return { received, type, ended: () => isEnded };
}

describe("GET /sandbox/stream", () => {
  it("reports each event and attempt, and a reset, of its namespace only", async () => {
    const one = await open();
    const { received, type } = await listen(one);
    const other = await listen(one, await one.addNamespace());
    expect(type).toBe("text/event-stream");
    await one.subscribe(await serve((_, response) => void response.writeHead(204).end()));
    await one.emit();
    const arrived = async (least: number): Promise<void> => {
      await expect.poll(() => received.length).toBeGreaterThanOrEqual(least);
    };
    // The event and its attempt.
    await arrived(2);
    await one.post("/sandbox/reset");
    await arrived(3);
    expect(new Set(received)).toEqual(new Set(["event: news"]));
    expect(other.received).toEqual([]);
    const answer = await one.post("/sandbox/stream");
    expect([refusal(answer), answer.headers["allow"]]).toEqual(["405 METHOD_NOT_ALLOWED", "GET"]);
  });

  it("ends with the sandbox, which does not wait for readers", async () => {
    const one = await openSandbox();
    const { ended } = await listen(one);
    // Calls under way are awaited for 10 s, and then cut off.
    await one.sandbox.close();
    await expect.poll(ended).toBe(true);
  });

  it("writes nothing to a reader after the end, when an attempt ends later", async () => {
    const streams = new Streams();
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    const errors: Error[] = [];
    response.on("error", (error) => errors.push(error));
    streams.open("mer_1", response);
    streams.close();
    streams.news("mer_1");
    await new Promise(setImmediate);
    expect(errors).toEqual([]);
  });
});

it("a reader of the stream who lags a megabyte behind is disconnected, and others are not", async () => {
  const streams = new Streams();
  const connectReader = async () => {
    const socket = new Socket();
    const response = new ServerResponse(new IncomingMessage(socket));
    streams.open("mer_1", response);
    return response;
  };
  const slow = await connectReader();
  const other = await connectReader();
  // Nobody reads what the response holds.
  other.write = () => true;
  for (let sent = 0; sent < 60_000; sent += 1) streams.news("mer_1");
  expect([slow.destroyed, other.destroyed]).toEqual([true, false]);
  streams.close();
});
