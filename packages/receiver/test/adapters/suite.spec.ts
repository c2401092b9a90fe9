import { once } from "node:events";
import { Agent, request as undici } from "undici";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { Outcome, Receiver } from "@countersign/receiver";
import { attemptOf, otherSecret, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { acceptedMediaTypes, publishedBypasses, refusedMediaTypes } from "./media-types.ts";
import { type Listening, listen, mounts } from "./mounts.ts";
import { chunk, codeOf, exchange, linesOf, open, readReply, request } from "./wire.ts";

const LIMIT = 4000;

describe.each(mounts)("$name", (mount) => {
  let receiver: Receiver;
  let handled: string[];
  let outcomes: Outcome[];
  let listening: Listening;
  let port: number;
  let serial = 0;

  beforeAll(async () => {
    ({ receiver, handled, outcomes } = recordingReceiver({ limits: { bodyBytes: LIMIT } }));
    listening = await listen(await mount.serve(receiver));
    ({ port } = listening);
  });
  afterAll(() => listening.close());

  /** Another genuine attempt, with its id. */
  const genuine = (): { id: string; headers: Record<string, string>; body: Uint8Array } => {
    const id = `evt_${String((serial += 1))}`;
    return { id, ...attemptOf(refundAuthorized(id)) };
  };
  const ran = (id: string): boolean => handled.includes(`PAYMENT ${id}`);

  it("answers a genuine attempt 204 once its handler has succeeded", async () => {
    const { id, headers, body } = genuine();
    const reply = await exchange(port, request(linesOf(headers, body), body));
    expect([reply.status, reply.body]).toEqual([204, ""]);
    expect(ran(id)).toBe(true);
  });

  it("answers 204 to a genuine attempt in chunks of a byte", async () => {
    const { id, headers, body } = genuine();
    const chunks = [...body].map((byte) => chunk(Uint8Array.of(byte)));
    const lines = [...linesOf(headers), "Transfer-Encoding: chunked"];
    const reply = await exchange(port, request(lines), ...chunks, chunk());
    expect(reply.status).toBe(204);
    expect(ran(id)).toBe(true);
  });

  it("passes over a header that is named __proto__, or as a prototype's member", async () => {
    const { id, headers, body } = genuine();
    const lines = [
      "__proto__: polluted",
      "__proto__: twice",
      "constructor: polluted",
      "get: polluted",
      ...linesOf(headers, body),
    ];
    expect((await exchange(port, request(lines, body))).status).toBe(204);
    expect(ran(id)).toBe(true);
    expect("polluted" in {}).toBe(false);
  });

  it.each([
    ["a changed body", ({ headers, body }) => ({ headers, body: Buffer.concat([body, space]) })],
    [
      "another id",
      ({ headers, body }) => ({ headers: { ...headers, "webhook-id": "evt_x" }, body }),
    ],
    ["another secret", ({ id }) => attemptOf(refundAuthorized(id), { secrets: [otherSecret] })],
    ["no signature", ({ body }) => ({ headers: {}, body })],
    ["nothing at all", () => ({ headers: {}, body: new Uint8Array(0) })],
  ] satisfies [string, (attempt: ReturnType<typeof genuine>) => ReturnType<typeof attemptOf>][])(
    "[R-VERIFY-TAMPERED] refuses %s with 401, and no handler runs",
    async (_what, change) => {
      const before = handled.length;
      const { headers, body } = change(genuine());
      const reply = await exchange(port, request(linesOf(headers, body), body));
      expect([reply.status, codeOf(reply)]).toEqual([401, "CS_SIGNATURE_REFUSED"]);
      expect(handled).toHaveLength(before);
    },
  );

  it.runIf(mount.seesDuplicates).each([
    ["webhook-id", 401],
    ["webhook-timestamp", 401],
    ["webhook-signature", 401],
    ["content-type", 415],
    ["content-encoding", 415],
  ])("A12: refuses a %s that stands twice, alike or not", async (name, status) => {
    const { id, headers, body } = genuine();
    const value = { "content-encoding": "identity", ...headers }[name] ?? "";
    const lines = linesOf({ "content-encoding": "identity", ...headers }, body);
    for (const second of [value, `${value}0`, "", "x"])
      for (const twice of [
        [...lines, `${name}: ${second}`],
        [`${name}: ${second}`, ...lines],
      ])
        expect((await exchange(port, request(twice, body))).status).toBe(status);
    expect(ran(id)).toBe(false);
  });

  it.each(["gzip", "deflate", "br", "zstd", "identity, gzip", "GZIP", "x"])(
    "A18: [R-BODY-ENCODED] answers Content-Encoding: %s with 415",
    async (encoding) => {
      const { id, headers, body } = genuine();
      const lines = [...linesOf(headers, body), `Content-Encoding: ${encoding}`];
      const reply = await exchange(port, request(lines, body));
      expect([reply.status, codeOf(reply)]).toEqual([415, "CS_BODY_ENCODED"]);
      expect(ran(id)).toBe(false);
    },
  );

  it.each(Object.entries(publishedBypasses))("A22: refuses %s", async (_advisory, type) => {
    expect(await statusOfType(type)).toBe(415);
  });

  it("A22: refuses fifty more media types that are not plainly JSON in UTF-8", async () => {
    expect(new Set(refusedMediaTypes).size).toBe(50);
    for (const type of refusedMediaTypes)
      expect([type, await statusOfType(type)]).toEqual([type, 415]);
  });

  it("A22: validates fully under every spelling of JSON in UTF-8", async () => {
    for (const type of acceptedMediaTypes)
      expect([type, await statusOfType(type)]).toEqual([type, 204]);
    const wrong = { ...refundAuthorized("evt_w"), data: { paymentId: 7 } };
    for (const type of acceptedMediaTypes)
      expect([type, await statusOfType(type, attemptOf(wrong))]).toEqual([type, 422]);
  });

  async function statusOfType(
    type: string,
    attempt: ReturnType<typeof attemptOf> = genuine(),
  ): Promise<number> {
    const headers = { ...attempt.headers, "content-type": type };
    const reply = await exchange(port, request(linesOf(headers, attempt.body), attempt.body));
    return reply.status;
  }

  it.each([
    ["no bytes", ""],
    ["a byte order mark", `\uFEFF${JSON.stringify(refundAuthorized("evt_bom"))}`],
    ["a duplicate member", JSON.stringify(refundAuthorized("evt_bom")).replace("{", '{"id":"x",')],
  ])("[R-BODY-STRICT] answers 400 to %s under a genuine signature", async (_what, text) => {
    const { headers, body } = attemptOf(text, { id: "evt_bom" });
    const reply = await exchange(port, request(linesOf(headers, body), body));
    expect([reply.status, codeOf(reply)]).toEqual([400, "CS_BODY_NOT_JSON"]);
  });

  it("[R-BODY-STRICT] refuses bytes that are no UTF-8 under a genuine signature", async () => {
    const event = Buffer.from(JSON.stringify(refundAuthorized("evt_ff")));
    event[event.indexOf("order-7")] = 0xff;
    const { headers, body } = attemptOf(event, { id: "evt_ff" });
    const reply = await exchange(port, request(linesOf(headers, body), body));
    // A gateway that decodes has replaced the byte: what arrives was never signed.
    expect(reply.status).toBe(mount.keepsBytes ? 400 : 401);
  });

  it("A20: [R-BODY-SIZE] answers 413 to one byte more than the limit, and reads the limit", async () => {
    const at = attemptOf(padded(LIMIT), { id: "evt_padded" });
    const above = attemptOf(padded(LIMIT + 1), { id: "evt_padded" });
    for (const [{ headers, body }, status] of [
      [at, 204],
      [above, 413],
    ] as const) {
      expect((await exchange(port, request(linesOf(headers, body), body))).status).toBe(status);
      const lines = [...linesOf(headers), "Transfer-Encoding: chunked"];
      const reply = await exchange(port, request(lines), chunk(body), chunk());
      expect(reply.status).toBe(status);
    }
  });

  it("A20: answers 413 above the limit in chunks of a byte", async () => {
    const { headers } = genuine();
    const bytes = Array.from({ length: LIMIT + 500 }, () => chunk(space));
    const lines = [...linesOf(headers), "Transfer-Encoding: chunked"];
    const reply = await exchange(port, request(lines), Buffer.concat(bytes), chunk());
    expect([reply.status, codeOf(reply)]).toEqual([413, "CS_BODY_TOO_LARGE"]);
  });

  it("A20: never acknowledges a body of another length than it said", async () => {
    const { id, headers, body } = genuine();
    for (const said of [body.length - 1, 1, 0]) {
      const lines = [...linesOf(headers), `Content-Length: ${String(said)}`];
      const reply = await exchange(port, request(lines, body));
      expect([400, 401]).toContain(reply.status);
    }
    expect(ran(id)).toBe(false);
  });

  it.runIf(mount.streams).each([65_536, 65_537])(
    "answers 413 to an announced length of %i before any byte of it",
    async (length) => {
      const { headers } = genuine();
      const lines = [...linesOf(headers), `Content-Length: ${String(length)}`];
      const reply = await exchange(port, request(lines));
      expect(reply.status).toBe(413);
      const closes = mount.endsConnections && length > 65_536;
      expect(reply.headers.get("connection")).toBe(closes ? "close" : "keep-alive");
    },
  );

  it.runIf(mount.endsConnections)(
    "lets a sender finish a body that it has refused, then ends the connection",
    async () => {
      // The adapter waits half a second for the sender's end, of which a loaded machine makes several.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      // More than the buffers on its way hold: it must really be read.
      const part = Buffer.alloc(400_000, 0x20);
      const { headers } = genuine();
      for (const [line, bytes, last] of [
        [`Content-Length: ${String(30 * part.length)}`, part, Buffer.alloc(0)],
        ["Transfer-Encoding: chunked", chunk(part), chunk()],
      ] as const) {
        const socket = await open(port);
        const happened: string[] = [];
        socket.once("error", ({ message }) => void happened.push(message));
        socket.once("end", () => void happened.push("the server's end"));
        const reply = readReply(socket);
        socket.write(request([...linesOf(headers), line]));
        for (let sent = 0; sent < 30; sent += 1) {
          if (sent === 29) happened.push("the sender's last part");
          if (!socket.write(bytes))
            await Promise.race([once(socket, "drain"), once(socket, "close")]);
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.write(last);
        expect(await reply).toMatchObject({ status: 413, ended: "cleanly" });
        expect(happened).toEqual(["the sender's last part", "the server's end"]);
        socket.destroy();
      }
    },
  );

  it.runIf(mount.streams)("answers 408 to a body that does not end in time", async () => {
    const hasty = recordingReceiver({ limits: { bodyMs: 50 } });
    const server = await listen(await mount.serve(hasty.receiver));
    const { headers, body } = genuine();
    const part = request(linesOf(headers, body), body.subarray(0, 10));
    const reply = await exchange(server.port, part);
    server.close();
    expect([reply.status, codeOf(reply)]).toEqual([408, "CS_BODY_TIMEOUT"]);
  });

  it("A19: runs no handler for a body that is cut off at any tenth", async () => {
    const { id, headers, body } = genuine();
    const before = outcomes.length;
    for (let tenth = 0; tenth < 10; tenth += 1) {
      const socket = await open(port);
      const part = body.subarray(0, Math.floor((body.length * tenth) / 10));
      await new Promise<void>((sent) => {
        socket.write(request(linesOf(headers, body), part), () => sent());
      });
      // Another request has been answered: the server has seen the first one.
      await exchange(port, request(["Connection: close"], undefined, { method: "GET" }));
      socket.destroy();
    }
    await expect.poll(() => connections(listening)).toBe(0);
    expect(ran(id)).toBe(false);
    const seen = outcomes.slice(before).map((outcome) => "code" in outcome && outcome.code);
    expect(seen.every((code) => code === "CS_BODY_ABORTED")).toBe(true);
    expect(seen).toHaveLength(mount.streams ? 10 : 0);

    // The sender tries again.
    expect((await exchange(port, request(linesOf(headers, body), body))).status).toBe(204);
  });

  it("invites a body that waits for 100 Continue", async () => {
    const { id, headers, body } = genuine();
    const socket = await open(port);
    socket.write(request([...linesOf(headers, body), "Expect: 100-continue"]));
    const [invited] = (await once(socket, "data")) as [Buffer];
    expect(invited.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    const reply = readReply(socket);
    socket.write(body);
    expect((await reply).status).toBe(204);
    expect(ran(id)).toBe(true);
    socket.destroy();
  });

  it("[R-METHOD] answers other methods with 405 and says which one it allows", async () => {
    const reply = await exchange(port, request([], undefined, { method: "GET" }));
    expect([reply.status, reply.headers.get("allow"), reply.body]).toEqual([405, "POST", ""]);
  });

  it("keeps a connection over refusals of what it has read", async () => {
    const agent = new Agent({ connections: 1 });
    let connects = 0;
    agent.on("connect", () => (connects += 1));
    for (const change of [{}, { "webhook-id": "evt_x" }, { "webhook-signature": "v1," }, {}]) {
      const { headers, body } = genuine();
      const answer = await undici(`http://127.0.0.1:${String(port)}/webhooks`, {
        method: "POST",
        dispatcher: agent,
        headers: { ...headers, ...change },
        body,
      });
      await answer.body.dump();
      expect(answer.statusCode).toBe(
        "webhook-id" in change || "webhook-signature" in change ? 401 : 204,
      );
    }
    expect(connects).toBe(1);
    await agent.close();
  });

  it.runIf(mount.streams)(
    "delivers the refusal of an unread body whole, and the next request works",
    async () => {
      const big = Buffer.alloc(1_000_000, 0x20);
      const { headers } = genuine();
      for (const line of ["Content-Encoding: gzip", "Content-Language: en"]) {
        const lines = [...linesOf(headers, big), line];
        const reply = await exchange(port, request(lines, big));
        expect([415, 413]).toContain(reply.status);
        expect(reply.ended).not.toBe("reset");
        const next = genuine();
        const after = await exchange(port, request(linesOf(next.headers, next.body), next.body));
        expect(after.status).toBe(204);
      }
    },
  );
});

const space = Buffer.from(" ");

/** A genuine event of so many bytes. */
function padded(size: number): string {
  const text = JSON.stringify(refundAuthorized("evt_padded"));
  return text + " ".repeat(size - text.length);
}

const connections = ({ server }: Listening): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
