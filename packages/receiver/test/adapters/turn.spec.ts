import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readNodeStream } from "../../src/adapters/read-node-stream.ts";
import { createTurn } from "../../src/adapters/turn.ts";

describe("bodies that end in one turn of the event loop", () => {
  it("are judged together, in their order, once its sockets are read", async () => {
    const turn = createTurn();
    const judged: string[] = [];
    turn(() => void judged.push("first"));
    turn(() => {
      judged.push("second");
      turn(() => void judged.push("third"));
    });
    await Promise.resolve();
    expect(judged).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(judged).toEqual(["first", "second"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(judged).toEqual(["first", "second", "third"]);
  });

  it("are told by a reader whose stream closes before the turn comes", async () => {
    const stream = Readable.from([Buffer.from("{}")]);
    const body = await readNodeStream(stream, { bodyBytes: 10, bodyMs: 1000 }, (run) => {
      stream.once("close", run);
    });
    expect(body).toEqual(new Uint8Array(Buffer.from("{}")));
  });
});
