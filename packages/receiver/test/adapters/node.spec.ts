import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Receiver } from "@countersign/receiver";
import { toFastify } from "@countersign/receiver/fastify";
import { toNode } from "@countersign/receiver/node";
import fastify from "fastify";
import { describe, expect, it, type MockInstance, onTestFinished, vi } from "vitest";
import { genuine, recordingReceiver, secret } from "../fixtures.ts";
import { mounted } from "./mounted.ts";
import { chunk, exchange, linesOf, open, post, postOnceAsked, request } from "./wire.ts";

const { headers, body } = genuine;

/** A mount whose server calls the adapter as a test wants it. */
const serving =
  (listener: (answer: ReturnType<typeof toNode>) => RequestListener) => (receiver: Receiver) =>
    createServer(listener(toNode(receiver)));

function silenceWarnings(): MockInstance<typeof process.emitWarning> {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  onTestFinished(() => warn.mockRestore());
  return warn;
}

describe('toNode on a server that listens for "checkContinue"', () => {
  const serve = (receiver: Receiver) => {
    const answer = toNode(receiver);
    const listener: RequestListener = (incoming, outgoing) => void answer(incoming, outgoing);
    return createServer(listener).on("checkContinue", listener);
  };

  it("A19: refuses a body by its headers before it is sent", async () => {
    const { port } = await mounted({ serve }, { limits: { bodyBytes: 1000 } });
    for (const [length, line, status] of [
      [500, "Content-Encoding: gzip", 415],
      [500, "Content-Type: text/plain", 415],
      [1001, "Content-Language: en", 413],
    ] as const) {
      const lines = [`Content-Length: ${String(length)}`, "Expect: 100-Continue", line];
      const reply = await exchange(port, request(lines));
      expect(reply.status).toBe(status);
      expect(reply.received).not.toContain("100 Continue");
    }
  });

  it("asks once for a body that it accepts", async () => {
    const { port } = await mounted({ serve });
    const { status, received } = await postOnceAsked(port, genuine);
    expect([status, received.includes("100 Continue")]).toEqual([204, false]);
  });
});

describe("toNode with an answer that is too late", () => {
  it("writes nothing after other code has answered", async () => {
    const serve = serving((answer) => (incoming, outgoing) => {
      outgoing.writeHead(504).flushHeaders();
      void answer(incoming, outgoing).then(() => outgoing.end());
    });
    const { port, outcomes } = await mounted({ serve });
    expect((await post(port, genuine)).status).toBe(504);
    expect((await exchange(port, request(["Content-Length: 0"]))).status).toBe(504);
    expect(outcomes).toMatchObject([{ kind: "handled" }, { kind: "rejected" }]);
  });

  it("reports CS_BODY_ABORTED at once if the sender went away before the receiver was called", async () => {
    const serve = serving((answer) => (incoming, outgoing) => {
      incoming.once("close", () => setImmediate(() => void answer(incoming, outgoing)));
    });
    const { port, server, outcomes } = await mounted({ serve });
    const socket = await open(port);
    socket.write(request([...linesOf(headers), "Content-Length: 100"]));
    await once(server, "request");
    socket.destroy();
    await expect.poll(() => outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_ABORTED" }]);
  });
});

it("[R-BODY-CONSUMED] toNode answers 500 behind code that read an empty body to its end", async () => {
  const serve = serving((answer) => (incoming, outgoing) => {
    incoming.resume().once("end", () => setImmediate(() => void answer(incoming, outgoing)));
  });
  const { port, outcomes } = await mounted({ serve });
  const lines = [...linesOf(headers), "Transfer-Encoding: chunked"];
  expect((await exchange(port, request(lines), chunk())).status).toBe(500);
  expect(outcomes).toMatchObject([{ kind: "rejected", code: "CS_BODY_CONSUMED" }]);
});

it("toNode answers HTTP/2, also if it leaves a body unread", async () => {
  const { receiver, handled } = recordingReceiver();
  const answer = toNode(receiver);
  const server = createHttp2Server((incoming, outgoing) => {
    // Its compatibility types differ in members that no adapter uses.
    void answer(...([incoming, outgoing] as unknown as Parameters<typeof answer>));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connectHttp2(`http://127.0.0.1:${String(port)}`);
  const warn = silenceWarnings();
  const statuses: unknown[] = [];
  for (const more of [{}, { "content-encoding": "gzip" }, {}]) {
    const pseudo = { ":method": "POST", ":path": "/webhooks" };
    const stream = client.request({ ...pseudo, ...headers, ...more });
    const answered = once(stream, "response");
    stream.end(Buffer.from(body));
    const [received] = (await answered) as [Record<string, unknown>];
    await buffer(stream);
    statuses.push(received[":status"]);
  }
  expect(statuses).toEqual([204, 415, 204]);
  expect(handled).toEqual(["PAYMENT evt_refund1"]);
  expect(warn).not.toHaveBeenCalled();
  client.close();
  server.close();
});

it("toFastify under fastify.inject() answers without a socket and runs the hooks", async () => {
  const { receiver, handled } = recordingReceiver();
  const app = fastify();
  const hooks: string[] = [];
  app.addHook("onResponse", async () => void hooks.push("onResponse"));
  app.post("/webhooks", toFastify(receiver));
  for (const [more, status] of [
    [{}, 204],
    [{ "content-encoding": "gzip" }, 415],
  ] as const) {
    const given = { headers: { ...headers, ...more }, payload: Buffer.from(body) };
    const answer = await app.inject({ method: "POST", url: "/webhooks", ...given });
    expect(answer.statusCode).toBe(status);
  }
  expect(handled).toEqual(["PAYMENT evt_refund1"]);
  expect(hooks).toEqual(["onResponse", "onResponse"]);
  await app.close();
});

it.each([
  ["http://other.example/webhooks/t1?x", "/webhooks/t1"],
  ["http://other.example", "/"],
])("toNode passes the path of the absolute target %s as %s", async (target, path) => {
  const paths: unknown[] = [];
  const serve = serving((answer) => (incoming, outgoing) => void answer(incoming, outgoing));
  const { port } = await mounted(
    { serve },
    { secrets: (asked) => (paths.push(asked.path), { tenant: "", secrets: [secret] }) },
  );
  await exchange(port, request(linesOf(headers, body), body, { target }));
  expect(paths).toEqual([path]);
});
