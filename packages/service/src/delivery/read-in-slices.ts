import { setImmediate } from "node:timers";
import type { Duplex } from "node:stream";
import { AnswerBounds } from "./answer-bounds.ts";

/** Bytes that are parsed at one time. */
const SLICE_BYTES = 2048;
/** Bytes that are parsed in one turn of the event loop. */
const TURN_BYTES = 4 * 1024;

/**
 * Has a connection's bytes parsed in small slices, some in each turn of the event loop, none after its end and
 * none beyond an answer's bounds. A receiver chooses what its bytes cost: undici makes an object of each header
 * and of each chunk of a body, however small, and an error with a stack of each header beyond its limit; 64 KiB
 * of them arrive at one time and would hold this process for tens of milliseconds.
 */
export function readInSlices(socket: Duplex): void {
  const bounds = new AnswerBounds();
  let isResting = false;
  let turnBytes = 0;
  const goOn = (): void => {
    isResting = false;
    turnBytes = 0;
    // What undici reads upon; data that has already arrived says nothing by itself.
    if (!socket.destroyed) socket.emit("readable");
  };
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    // Node's own way to ask for more: it takes nothing.
    if (size === 0) return read(0);
    if (socket.destroyed || isResting) return null;
    const length = Math.min(size ?? SLICE_BYTES, SLICE_BYTES, socket.readableLength);
    if (length === 0) {
      turnBytes = 0;
      return read();
    }
    if (turnBytes >= TURN_BYTES) {
      isResting = true;
      setImmediate(goOn);
      return null;
    }
    const slice: unknown = read(length);
    if (!(slice instanceof Buffer)) return slice;
    turnBytes += slice.length;
    const error = bounds.read(slice);
    if (error === undefined) return slice;
    socket.destroy(error);
    return null;
  };
  const write = socket.write.bind(socket) as (...all: readonly unknown[]) => boolean;
  // Its overloads are two, of three parameters together: they are handed on as they are.
  socket.write = ((chunk: unknown, encoding: unknown, written: unknown) => {
    // With one request at a time on a connection, what comes after a write is its answer.
    bounds.begin();
    return write(chunk, encoding, written);
  }) as typeof socket.write;
}
