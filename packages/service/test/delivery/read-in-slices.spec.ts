import { once } from "node:events";
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { readInSlices } from "../../src/delivery/read-in-slices.ts";

const OK = "HTTP/1.1 200 OK\r\n\r\n";

/** A connection that a request was written to, and what was read of its answer: slices, by turn of the event loop. */
function connection(): { socket: Duplex; turns: number[][] } {
  const socket = new Duplex({ read: () => {}, write: (_, __, done) => done() });
  readInSlices(socket);
  const turns: number[][] = [];
  socket.on("readable", () => {
    const slices: number[] = [];
    for (;;) {
      const slice: unknown = socket.read();
      if (!(slice instanceof Buffer)) break;
      slices.push(slice.length);
    }
    if (slices.length > 0) turns.push(slices);
  });
  socket.write("POST / HTTP/1.1\r\n\r\n");
  return { socket, turns };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

describe("B10: bytes of a receiver that arrive at one time", () => {
  it("are read in slices of 2 KiB, 4 KiB in a turn, until the end", async () => {
    const { socket, turns } = connection();
    socket.push(Buffer.from(OK + "a".repeat(70_000)));
    socket.push(null);
    await once(socket, "end");
    expect(Math.max(...turns.flat())).toBe(2048);
    expect(Math.max(...turns.map(sum))).toBe(4 * 1024);
    expect(sum(turns.flat())).toBe(OK.length + 70_000);
  });

  it("are read in one turn where they are few", async () => {
    const { socket, turns } = connection();
    socket.push(Buffer.from(`${OK}short`));
    socket.push(null);
    await once(socket, "end");
    expect(turns).toEqual([[OK.length + 5]]);
  });

  it("end the connection beyond an answer's bounds, and are not read", async () => {
    const { socket, turns } = connection();
    socket.push(Buffer.from(`HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(5000)}`));
    await expect(once(socket, "end")).rejects.toMatchObject({
      code: "CS_ATTEMPT_ANSWER_MALFORMED",
    });
    expect(sum(turns.flat())).toBeLessThan(2048);
  });

  it("are bounded for each answer by itself", async () => {
    const { socket, turns } = connection();
    const answer = OK + "a".repeat(60_000);
    for (const end of [1, 2]) {
      socket.push(Buffer.from(answer));
      await expect.poll(() => sum(turns.flat())).toBe(end * answer.length);
      socket.write("POST / HTTP/1.1\r\n\r\n");
    }
    expect(socket.destroyed).toBe(false);
  });
});
