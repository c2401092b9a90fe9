import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
// The flag gives new contexts the function; this one was made without it.
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes that the process holds after a collection. */
export function heldMemory(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A stream of chunks of one byte, which measures the memory that its reader holds of them. */
export function singleBytes(size: number) {
  const before = heldMemory();
  let held = 0;
  return {
    async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
      for (let sent = 0; sent < size; sent += 1) {
        if (sent % 1000 === 0) await setImmediate();
        yield Buffer.alloc(1, 0x20);
      }
      held = heldMemory() - before;
    },
    /** Bytes that were held when the last chunk had been read. */
    held: (): number => held,
  };
}
