import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type Receiver } from "@countersign/receiver";
import { toExpress } from "@countersign/receiver/express";
import { Readable } from "node:stream";
import express, { type Express } from "express";
import { Agent, request } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "./fixtures.ts";

const servers: Server[] = [];
const agent = new Agent({ keepAliveTimeout: 1000 });

async function listen(app: Express): Promise<string> {
  const server = app.listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

function lastServer(): Server {
  const server = servers.at(-1);
  if (server === undefined) throw new Error("no server listens");
  return server;
}

const mounted = (receiver: Receiver): Express => express().post("/webhooks", toExpress(receiver));

async function post(
  url: string,
  attempt: { headers: Record<string, string>; body: Uint8Array },
): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
  const answer = await request(`${url}/webhooks`, {
    method: "POST",
    dispatcher: agent,
    ...attempt,
  });
  return {
    status: answer.statusCode,
    text: await answer.body.text(),
    headers: answer.headers,
  };
}

describe("toExpress, over a socket", () => {
  it("reads the raw body and answers 204 once the handler has succeeded", async () => {
    const { receiver, handled } = recordingReceiver();
    const answer = await post(await listen(mounted(receiver)), attemptOf(refundAuthorized()));
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it.each([
    ["express.raw()", express.raw({ type: "*/*" })],
    [
      "express.json() that keeps rawBody",
      express.json({
        verify: (incoming, _response, buffer) => void Object.assign(incoming, { rawBody: buffer }),
      }),
    ],
  ])("uses the bytes that %s kept", async (_what, parser) => {
    const { receiver, handled } = recordingReceiver();
    const app = express().use(parser).post("/webhooks", toExpress(receiver));
    const answer = await post(await listen(app), attemptOf(refundAuthorized()));
    expect(answer.status).toBe(204);
    expect(handled).toEqual(["PAYMENT evt_refund1"]);
  });

  it("[R-BODY-CONSUMED] after express.json() is a coded 500 that names the line, warned of once", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    try {
      const { receiver, handled } = recordingReceiver();
      const app = express().use(express.json()).post("/webhooks", toExpress(receiver));
      const url = await listen(app);

      const first = await post(url, attemptOf(refundAuthorized()));
      const second = await post(url, attemptOf(refundAuthorized()));

      expect([first.status, second.status]).toEqual([500, 500]);
      expect(JSON.parse(first.text)).toEqual({
        code: "CS_BODY_CONSUMED",
        fix: expect.stringContaining("above app.use(express.json())") as string,
      });
      expect(warn).toHaveBeenCalledTimes(1);
      expect(handled).toEqual([]);
    } finally {
      warn.mockRestore();
    }
  });

  it("[R-BODY-SIZE] answers 413 to a body that is longer than it said", async () => {
    const { receiver } = recordingReceiver({ limits: { bodyBytes: 1000 } });
    const url = await listen(mounted(receiver));
    const chunked = Readable.from(unannounced(2000));
    const answer = await request(`${url}/webhooks`, {
      method: "POST",
      body: chunked,
      dispatcher: agent,
    });
    expect(answer.statusCode).toBe(413);
    await answer.body.dump();
  });

  it("answers 408 to a body that does not end in time", async () => {
    const { receiver } = recordingReceiver({ limits: { bodyMs: 50 } });
    const url = new URL(await listen(mounted(receiver)));
    const socket = connect(Number(url.port), url.hostname);
    socket.write("POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nslow");
    const [data] = (await once(socket, "data")) as [Buffer];
    expect(data.toString("latin1")).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close/i);
    socket.destroy();
  });

  it("refuses a signature header that stands twice", async () => {
    const { receiver, handled } = recordingReceiver();
    const url = new URL(await listen(mounted(receiver)));
    const { headers, body } = attemptOf(refundAuthorized());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(url.port), url.hostname);
    socket.write(
      `POST /webhooks HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ${String(body.length)}\r\n` +
        `${lines.join("")}webhook-id: evt_other\r\n\r\n`,
    );
    socket.write(body);
    const [data] = (await once(socket, "data")) as [Buffer];
    expect(data.toString("latin1")).toMatch(/^HTTP\/1\.1 401 /);
    expect(handled).toEqual([]);
    socket.destroy();
  });

  it("answers on one connection after the other", async () => {
    const { receiver, handled } = recordingReceiver();
    const url = await listen(mounted(receiver));
    for (let index = 0; index < 5; index += 1)
      expect((await post(url, attemptOf(refundAuthorized(`evt_${String(index)}`)))).status).toBe(
        204,
      );
    expect(handled).toHaveLength(5);
  });

  it("survives a sender that goes away in the middle of its body", async () => {
    const { receiver, outcomes } = recordingReceiver();
    const url = new URL(await listen(mounted(receiver)));
    const arrived = once(lastServer(), "request");
    const socket = connect(Number(url.port), url.hostname);
    socket.write("POST /webhooks HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf");
    await arrived;
    socket.destroy();
    await vi.waitFor(() =>
      expect(outcomes).toMatchObject([{ kind: "rejected", code: "CS_BODY_ABORTED" }]),
    );
    expect((await post(url.origin, attemptOf(refundAuthorized()))).status).toBe(204);
  });
});

/** A body without an announced length. */
async function* unannounced(size: number): AsyncGenerator<Uint8Array> {
  for (let sent = 0; sent < size; sent += 100) {
    yield Buffer.alloc(100, 0x20);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
