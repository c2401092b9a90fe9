import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout } from "node:timers/promises";

const COMMAND_MS = 60_000;
const LISTENING_MS = 30_000;

/**
 * Returns a function that runs a shell command which restarts a receiver, and resolves once its port accepts
 * connections.
 *
 * The function throws an `Error` if the command does not end with 0 within 60 s, or nothing listens 30 s later.
 */
export function restartBy(command: string, url: string): () => Promise<void> {
  return async () => {
    const child = spawn(command, {
      shell: true,
      stdio: "ignore",
      signal: AbortSignal.timeout(COMMAND_MS),
    });
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error(`--restart-command ended with ${code ?? "a signal"}`);
    const { hostname, port, protocol } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    const place = { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
    const until = performance.now() + LISTENING_MS;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    while (!(await isListening(place))) {
      if (performance.now() > until)
        throw new Error(`nothing listens at ${hostname}:${place.port} after --restart-command`);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await setTimeout(50);
    }
  };
}

function isListening(place: { readonly host: string; readonly port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(place);
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });
}
