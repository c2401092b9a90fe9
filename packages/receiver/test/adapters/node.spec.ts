import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { connect as connectHttp2, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { toFastify } from "@countersign/receiver/fastify";
import { toNode } from "@countersign/receiver/node";
import fastify from "fastify";
import { afterEach, describe, expect, it, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { type Listening, listen, mounts } from "./mounts.ts";
import { chunk, exchange, linesOf, open, readReply, request } from "./wire.ts";

const { headers, body } = attemptOf(refundAuthorized());
const genuine = request(linesOf(headers, body), body);

let listening: Listening | undefined;
const start = async (server: Server): Promise<number> => {
  listening = await listen(server);
  return listening.port;
};
afterEach(() => {
  listening?.close();
  listening = undefined;
});

describe('a server that listens for "checkContinue"', () => {
  const serve = async (): Promise<{ port: number; handled: string[] }> => {
    const { receiver, handled } = recordingReceiver({ limits: { bodyBytes: 1000 } });
    const answer = toNode(receiver);
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
    server.on("checkContinue", (incoming, outgoing) => void answer(incoming, outgoing));
    return { port: await start(server), handled };
  };

  it("A19: refuses a body by its headers before it is sent", async () => {
    const { port } = await serve();
    for (const [line, status] of [
      ["Content-Encoding: gzip", 415],
      ["Content-Type: text/plain", 415],
    ] as const) {
      const lines = ["Content-Length: 500", "Expect: 100-continue", line];
      const reply = await exchange(port, request(lines));
      expect([reply.status, reply.interim]).toEqual([status, []]);
    }
    const reply = await exchange(port, request(["Content-Length: 1001", "Expect: 100-Continue"]));
    expect([reply.status, reply.interim]).toEqual([413, []]);
  });

  it("invites a body that it wants, once", async () => {
    const { port, handled } = await serve();
    const socket = await open(port);
    socket.write(request([...linesOf(headers, body), "Expect: 100-continue"]));
    const [invited] = (await once(socket, "data")) as [Buffer];
    expect(invited.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    const reply = readReply(socket);
    socket.write(body);
    expect(await reply).toMatchObject({ status: 204, interim: [] });
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    socket.destroy();
  });
});

describe("an answer for which it is too late", () => {
  it("is not written after the sender has gone", async () => {
    let fail: (error: Error) => void = () => undefined;
    const gone = new Promise<never>((_resolve, reject) => (fail = reject));
    let entered: () => void = () => undefined;
    const handling = new Promise<void>((resolve) => (entered = resolve));
    const { receiver, outcomes } = recordingReceiver();
    receiver.on("refund.authorized", () => (entered(), gone));
    const answer = toNode(receiver);
    const settled = vi.fn<() => void>();
    const written = vi.fn<() => void>();
    const port = await start(
      createServer((incoming, outgoing) => {
        const end = outgoing.end.bind(outgoing);
        outgoing.end = ((text: string) => (written(), end(text))) as typeof outgoing.end;
        void answer(incoming, outgoing).then(settled);
        outgoing.once("close", () =>
          fail(new Error("the handler fails after the sender has gone")),
        );
      }),
    );
    const socket = await open(port);
    socket.write(genuine);
    await handling;
    socket.destroy();
    await expect.poll(() => settled.mock.calls.length).toBe(1);
    expect(written).not.toHaveBeenCalled();
    expect(outcomes).toMatchObject([{ kind: "failed", code: "CS_HANDLER_FAILED" }]);
  });

  it("is not written after somebody else has answered", async () => {
    const { receiver, outcomes } = recordingReceiver();
    const answer = toNode(receiver);
    const port = await start(
      createServer((incoming, outgoing) => {
        outgoing.writeHead(504).flushHeaders();
        void answer(incoming, outgoing).then(() => outgoing.end());
      }),
    );
    const forged = request(["Content-Length: 0"]);
    expect((await exchange(port, genuine)).status).toBe(504);
    expect((await exchange(port, forged)).status).toBe(504);
    expect(outcomes).toMatchObject([{ kind: "handled" }, { kind: "rejected" }]);
  });

  it("is told at once where the sender had gone before the receiver was asked", async () => {
    const { receiver, outcomes } = recordingReceiver();
    const answer = toNode(receiver);
    const port = await start(
      createServer((incoming, outgoing) => {
        incoming.once("close", () => setImmediate(() => void answer(incoming, outgoing)));
      }),
    );
    const socket = await open(port);
    socket.write(request([...linesOf(headers), "Content-Length: 100"]));
    await once(listening?.server ?? socket, "request");
    socket.destroy();
    await expect.poll(() => outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_ABORTED" }]);
  });
});

describe("an answer of `respond`", () => {
  it.each(mounts)("with 204 loses its body by $name", async (mount) => {
    const { receiver } = recordingReceiver({
      respond: () => ({ status: 204, headers: { "x-event": "evt" }, body: "done" }),
    });
    const reply = await exchange(await start(await mount.serve(receiver)), genuine);
    expect([reply.status, reply.headers.get("x-event"), reply.body]).toEqual([204, "evt", ""]);
  });
});

describe("a body that was read before, in part or though it is empty", () => {
  it.each([
    ["a first part", request(linesOf(headers, body), body.subarray(0, 10))],
    ["an empty one", request([...linesOf(headers), "Transfer-Encoding: chunked"], chunk())],
  ])("[R-BODY-CONSUMED] is a coded 500 (%s)", async (_what, bytes) => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const { receiver, outcomes } = recordingReceiver();
    const answer = toNode(receiver);
    const port = await start(
      createServer((incoming, outgoing) => {
        const late = (): void => {
          incoming.pause();
          setImmediate(() => void answer(incoming, outgoing));
        };
        incoming.once("data", late).once("end", late);
      }),
    );
    expect((await exchange(port, bytes)).status).toBe(500);
    expect(outcomes).toEqual([{ kind: "rejected", code: "CS_BODY_CONSUMED" }]);
    warn.mockRestore();
  });
});

it("headers have no prototype: what a sender did not send is not there", async () => {
  const asked: Record<string, unknown>[] = [];
  const { receiver } = recordingReceiver({
    secrets: ({ headers: given }) => {
      asked.push(given as Record<string, unknown>);
      return { tenant: "", secrets: [] };
    },
  });
  const answer = toNode(receiver);
  const port = await start(createServer((incoming, outgoing) => void answer(incoming, outgoing)));
  await exchange(port, request([...linesOf(headers, body), "__proto__: a"], body));
  await exchange(port, request(linesOf(headers, body), body));
  expect(asked.map((given) => [given["__proto__"], given["constructor"]])).toEqual([
    ["a", undefined],
    [undefined, undefined],
  ]);
});

describe("servers of other kinds", () => {
  it("HTTP/2 is answered, also where a body was left unread", async () => {
    const { receiver, handled } = recordingReceiver();
    const answer = toNode(receiver);
    const server = createHttp2Server((incoming, outgoing) => {
      // Its compatibility types differ where nobody looks.
      void answer(...([incoming, outgoing] as unknown as Parameters<typeof answer>));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connectHttp2(
      `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    );
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    const statusOf = async (more: Record<string, string>): Promise<unknown> => {
      const stream = client.request({
        ":method": "POST",
        ":path": "/webhooks",
        ...headers,
        ...more,
      });
      const answered = once(stream, "response");
      stream.end(Buffer.from(body));
      const [received] = (await answered) as [Record<string, unknown>];
      await buffer(stream);
      return received[":status"];
    };
    expect(await statusOf({})).toBe(204);
    expect(await statusOf({ "content-encoding": "gzip" })).toBe(415);
    expect(await statusOf({})).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(warn).not.toHaveBeenCalled();
    warn.mockRestore();
    client.close();
    server.close();
  });

  it("fastify.inject() plays an attempt without a socket", async () => {
    const { receiver, handled } = recordingReceiver();
    const app = fastify();
    const hooks: string[] = [];
    app.addHook("onResponse", async () => void hooks.push("onResponse"));
    app.post("/webhooks", toFastify(receiver));
    const play = (more: object): Promise<{ statusCode: number; body: string }> =>
      app.inject({
        method: "POST",
        url: "/webhooks",
        headers: { ...headers, ...more },
        payload: Buffer.from(body),
      });
    expect((await play({})).statusCode).toBe(204);
    expect((await play({ "content-encoding": "gzip" })).statusCode).toBe(415);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
    expect(hooks).toEqual(["onResponse", "onResponse"]);
    await app.close();
  });
});

it.each([
  ["/webhooks/t1", "/webhooks/t1"],
  ["/webhooks/t1?secret=1", "/webhooks/t1"],
  ["http://other.example/webhooks/t1?x", "/webhooks/t1"],
  ["http://other.example", "/"],
])("a target %s has the path %s", async (target, path) => {
  const paths: unknown[] = [];
  const { receiver } = recordingReceiver({
    secrets: (asked) => (paths.push(asked.path), { tenant: "", secrets: [] }),
  });
  const answer = toNode(receiver);
  const port = await start(createServer((incoming, outgoing) => void answer(incoming, outgoing)));
  await exchange(port, request(linesOf(headers, body), body, { target }));
  expect(paths).toEqual([path]);
});
