import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import { NOON, refundAuthorized, secret } from "../fixtures.ts";

// Run by the benchmark in a Node of its own: what a receiver holds after each tenth of the events.

setFlagsFromString("--expose-gc");
// The flag gives new contexts the function; this one was made without it.
const collect = runInNewContext("gc") as () => void;

const events = Number(process.argv[2]);
const receiver = createReceiver({
  secrets: [secret],
  fallback: () => undefined,
  inbox: memoryInbox({ capacity: 10_000 }),
  now: () => NOON,
}).on("PAYMENT", () => undefined);

const held: number[] = [];
for (let sent = 1; sent <= events; sent += 1) {
  const event = refundAuthorized(`evt_${String(sent)}`);
  // oxlint-disable-next-line no-await-in-loop -- one after the other: what is held is what counts
  const { kind } = await receiver.receive(signedAttempt({ secrets: [secret], now: NOON, event }));
  if (kind !== "handled") throw new Error(`event ${String(sent)} is ${kind}`);
  if (sent % (events / 10) !== 0) continue;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  held.push(heapUsed + arrayBuffers);
}
console.log(JSON.stringify(held));
