import { connect } from "node:net";
import { performance } from "node:perf_hooks";

export interface Figures {
  /** Requests in a second. */
  readonly rate: number;
  /** Milliseconds that half of them, and all but a hundredth, took at most. */
  readonly p50: number;
  readonly p99: number;
}

/**
 * Sends requests over connections that stay open, one at a time over each; rejects where one is not
 * answered 201. It speaks HTTP by hand: a client that takes more of the processor than the servers would
 * measure itself.
 */
export async function httpLoad(
  port: number,
  { wires, connections }: { readonly wires: readonly Buffer[]; readonly connections: number },
): Promise<Figures> {
  const took: number[] = [];
  let next = 0;
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      let sent = 0;
      const send = (): void => {
        const wire = wires[next];
        next += 1;
        if (wire === undefined) {
          socket.destroy();
          resolve();
          return;
        }
        sent = performance.now();
        socket.write(wire);
      };
      socket.once("connect", send);
      socket.once("error", reject);
      // The answers are short: each comes in one piece.
      socket.on("data", (data) => {
        took.push(performance.now() - sent);
        const head = data.toString("latin1", 0, 400);
        if (head.startsWith("HTTP/1.1 201")) {
          send();
          return;
        }
        reject(new Error(`answered ${data.toString("utf8", 0, 1000)}`));
        socket.destroy();
      });
    });
  const begun = performance.now();
  await Promise.all(Array.from({ length: connections }, client));
  const seconds = (performance.now() - begun) / 1000;
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { rate: wires.length / seconds, p50: at(0.5), p99: at(0.99) };
}
