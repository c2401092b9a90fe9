import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import { expect, it } from "vitest";
import { NOON, refundAuthorized, secret, silent } from "./fixtures.ts";

const EVENTS = 1_000_000;

it("a receiver with a bounded memory inbox holds no more memory after a million events", async () => {
  setFlagsFromString("--expose-gc");
  // The flag gives new contexts the function; this one was made without it.
  const collect = runInNewContext("gc") as () => void;
  const receiver = createReceiver({
    ...silent,
    inbox: memoryInbox({ capacity: 10_000 }),
  }).on("PAYMENT", () => undefined);

  const held: number[] = [];
  for (let sent = 1; sent <= EVENTS; sent += 1) {
    const event = refundAuthorized(`evt_${String(sent)}`);
    const { kind } = await receiver.receive(signedAttempt({ secrets: [secret], now: NOON, event }));
    if (kind !== "handled") throw new Error(`event ${String(sent)} is ${kind}`);
    if (sent % (EVENTS / 10) !== 0) continue;
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    held.push(heapUsed + arrayBuffers);
  }
  // The first tenth fills the inbox and compiles.
  const [, second = 0, ...later] = held;
  expect(Math.max(...later)).toBeLessThan(second * 1.05 + 1e6);
});
