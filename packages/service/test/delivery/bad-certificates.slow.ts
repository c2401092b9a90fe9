import { expect, it, onTestFinished } from "vitest";
import { undiciTransport } from "../../src/delivery/undici-transport.ts";
import { faults, heapInUse, listenTls, postMany, trustAuthority } from "./bad-certificates.ts";

const ATTEMPTS = 100_000;
const PARTS = 10;

it(`B11: ${String(ATTEMPTS)} attempts at endpoints with bad certificates leave the heap as it is`, async () => {
  trustAuthority();
  const urls = await Promise.all(Object.values(faults).map(listenTls));
  const transport = undiciTransport({ deadlineMs: 10_000, allowLoopback: true });
  onTestFinished(() => transport.close());
  await postMany(transport, urls, 1000);
  const heaps: number[] = [heapInUse()];
  for (let part = 0; part < PARTS; part += 1) {
    await postMany(transport, urls, ATTEMPTS / PARTS);
    heaps.push(heapInUse());
  }
  console.log(heaps.map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`).join(", "));
  // Of each attempt less than 20 bytes.
  expect((heaps.at(-1) ?? 0) - (heaps[0] ?? 0)).toBeLessThan(20 * ATTEMPTS);
});
