import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
import { framings } from "./framings.ts";
import { type Listening, listen, mounts } from "./mounts.ts";
import { exchange, linesOf, request } from "./wire.ts";

const { receiver, handled } = recordingReceiver({ limits: { bodyMs: 100 } });
const { headers, body } = attemptOf(refundAuthorized("evt_framed"));

describe.each(mounts)("A12: $name", (mount) => {
  let listening: Listening;
  beforeAll(async () => {
    listening = await listen(await mount.serve(receiver));
    // A gateway waits for a body's end as long as its server does.
    listening.server.requestTimeout = 200;
  });
  afterAll(() => listening.close());

  it.each(Object.keys(framings))("never acknowledges an attempt with %s", async (name) => {
    const bytes = framings[name]?.(linesOf(headers), Buffer.from(body)) ?? Buffer.alloc(0);
    const { status } = await exchange(listening.port, bytes);
    expect(status === 0 || status >= 400).toBe(true);
    expect(handled).toEqual([]);
  });
});

it("there are thirty framings", () => {
  expect(Object.keys(framings)).toHaveLength(30);
});

describe("the same attempt in a framing that HTTP allows", () => {
  it.each(mounts)("is handled by $name", async (mount) => {
    const own = recordingReceiver();
    const listening = await listen(await mount.serve(own.receiver));
    expect((await exchange(listening.port, request(linesOf(headers, body), body))).status).toBe(
      204,
    );
    expect(own.handled).toEqual(["PAYMENT evt_framed"]);
    listening.close();
  });
});
