import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";

const CONNECTIONS = 64;

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;

/** Microseconds of CPU time that a server has taken, which answers messages with it. */
export async function takenBy(child: ChildProcess): Promise<number> {
  const answer = once(child, "message");
  child.send("cpu");
  const [{ user, system }] = (await answer) as [NodeJS.CpuUsage];
  return user + system;
}

/**
 * Sends all requests over connections that stay open, as HTTP by hand: a client that takes more CPU time than the server
 * would measure itself.
 *
 * @throws {Error} One is not answered 2xx.
 */
export async function load(port: number, wires: readonly Buffer[]): Promise<void> {
  let next = 0;
  const client = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true });
      const send = (): void => {
        const wire = wires[next];
        next += 1;
        if (wire !== undefined) return void socket.write(wire);
        socket.destroy();
        resolve();
      };
      socket.once("connect", send);
      socket.once("error", reject);
      // The answers are short: each arrives in one piece.
      socket.on("data", (data) => {
        const status = data.subarray(9, 12).toString();
        if (status.startsWith("2")) return send();
        reject(new Error(`answered ${status}`));
        socket.destroy();
      });
    });
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
}
