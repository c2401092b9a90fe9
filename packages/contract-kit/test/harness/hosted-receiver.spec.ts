import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { singleBytes } from "../../../../test/held-memory.ts";
import { hostReceiver } from "../../src/harness/hosted-receiver.ts";

it("the kit's receiver holds an attempt of single bytes in a small multiple of its bytes", async () => {
  const receiver = await hostReceiver();
  const place = receiver.open(() => "silence");
  const size = 200_000;
  const bytes = singleBytes(size);
  // A place reads these members of a request, and only listens to the response that it leaves open.
  const request = Object.assign(bytes, { method: "POST", url: "/", headers: {} });
  const response = { on: () => undefined, writeHead: () => ({ end: () => undefined }) };
  await place.take(request as unknown as IncomingMessage, response as unknown as ServerResponse);
  expect(place.attempts.map(({ body }) => body.length)).toEqual([size]);
  expect(bytes.held()).toBeLessThan(10 * size);
  place.close();
  receiver.close();
});
