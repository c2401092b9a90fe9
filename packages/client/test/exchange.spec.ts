import type { Dispatcher } from "undici";
import { expect, it } from "vitest";
import { singleBytes } from "../../../test/held-memory.ts";
import { errorOf, openClient, order } from "./fixtures.ts";

it(
  "holds an answer that arrives in single bytes in a small multiple of its bytes",
  { tags: "ci" },
  async () => {
    const size = 262_144;
    const bytes = singleBytes(size);
    const answer = { statusCode: 200, headers: {}, body: bytes };
    // The client calls no other method of its dispatcher.
    const dispatcher = { request: () => Promise.resolve(answer) } as unknown as Dispatcher;
    const { client } = openClient("http://127.0.0.1", { dispatcher });
    expect(await errorOf(client.refund(order))).toMatchObject({ code: "CS_ANSWER_UNREADABLE" });
    expect(bytes.held()).toBeLessThan(10 * size);
  },
);
