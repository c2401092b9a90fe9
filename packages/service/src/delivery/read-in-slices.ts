import type { Socket } from "node:net";

/** Bytes that are parsed at one time. */
const SLICE_BYTES = 2048;

/**
 * Has a connection's bytes read in small slices, and none after its end. undici makes an error with a stack
 * of each header beyond its limit: 64 KiB of headers of a few bytes, which arrive at one time, would hold this
 * process for a twentieth of a second, and a receiver can send them with each answer.
 */
export function readInSlices(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    if (socket.destroyed) return null;
    const length = Math.min(size ?? SLICE_BYTES, SLICE_BYTES, socket.readableLength);
    return length === 0 ? read() : read(length);
  };
}
