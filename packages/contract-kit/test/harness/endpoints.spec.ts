import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { singleBytes } from "../../../../test/held-memory.ts";
import { hostReceiver } from "../../src/harness/endpoints.ts";

it("the kit's receiver holds an attempt of single bytes in a small multiple of its bytes", async () => {
  const receiver = await hostReceiver();
  const endpoint = receiver.open(() => "silence");
  const size = 200_000;
  const bytes = singleBytes(size);
  // An endpoint reads these members of a request, and only listens to the response that it leaves open.
  const request = Object.assign(bytes, { method: "POST", url: "/", headers: {} });
  const response = { on: () => undefined, writeHead: () => ({ end: () => undefined }) };
  await endpoint.receive(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
  );
  expect(endpoint.attempts.map(({ body }) => body.length)).toEqual([size]);
  expect(bytes.held()).toBeLessThan(10 * size);
  endpoint.close();
  receiver.close();
});
