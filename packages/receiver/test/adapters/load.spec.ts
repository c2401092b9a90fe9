import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ciAfter } from "../../../../test/tags.ts";
import { genuine, nameOf, refundAttempt } from "../fixtures.ts";
import { countConnections, mounted } from "./mounted.ts";
import { mounts } from "./mounts.ts";
import { chunk, codeOf, exchange, linesOf, open, post, readReply, request } from "./wire.ts";

const { headers, body } = genuine;
const announce = (length: number): string => `Content-Length: ${String(length)}`;

describe.each(mounts)("$name", (mount) => {
  it("A19: runs no handler for a body that is cut off at any tenth", async () => {
    const { port, server, handled, outcomes } = await mounted(mount);
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
    await expect.poll(() => countConnections(server)).toBe(0);
    expect(handled).toEqual([]);
    const codes = outcomes.map(nameOf).filter((code) => code !== "CS_METHOD_NOT_ALLOWED");
    expect(codes).toEqual(Array(mount.streams ? 10 : 0).fill("CS_BODY_ABORTED"));
    expect((await post(port, genuine)).status).toBe(204);
  });
});

const streaming = mounts.filter(({ streams }) => streams);

describe.each(streaming)("$name", (mount) => {
  it.each([65_536, 65_537])(
    "answers 413 to an announced length of %i before any byte of it",
    async (length) => {
      const { port } = await mounted(mount, { limits: { bodyBytes: 4000 } });
      const reply = await exchange(port, request([...linesOf(headers), announce(length)]));
      expect(reply.status).toBe(413);
      const closes = mount.endsConnections && length > 65_536;
      expect(reply.headers.get("connection")).toBe(closes ? "close" : "keep-alive");
    },
  );

  it.runIf(mount.endsConnections)(
    "lets a sender finish a body that it has refused, then closes the connection",
    async () => {
      // The adapter waits half a second for the sender's end; a loaded machine takes longer.
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const { port } = await mounted(mount);
      // More than the buffers on its way hold: the server must read it.
      const part = Buffer.alloc(400_000, 0x20);
      for (const [line, bytes, last] of [
        [announce(30 * part.length), part, Buffer.alloc(0)],
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

  it(
    "[R-BODY-SLOW] A19: answers good events while twenty senders drip, and ends each with 408",
    { tags: ciAfter(1, streaming.indexOf(mount)) },
    async () => {
      const { port, server, handled, outcomes } = await mounted(mount, { limits: { bodyMs: 300 } });
      const drips = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const socket = await open(port);
          socket.write(request([...linesOf(headers), announce(100)], Buffer.from("{")));
          return { socket, reply: readReply(socket) };
        }),
      );
      for (let index = 0; index < 20; index += 1)
        expect((await post(port, refundAttempt(`evt_${String(index)}`))).status).toBe(204);
      for (const { socket, reply } of drips) {
        const refused = await reply;
        expect([refused.status, codeOf(refused)]).toEqual([408, "CS_BODY_TIMEOUT"]);
        socket.destroy();
      }
      await expect.poll(() => countConnections(server)).toBe(0);
      expect(handled).toHaveLength(20);
      expect(outcomes).toHaveLength(40);
    },
  );
});
