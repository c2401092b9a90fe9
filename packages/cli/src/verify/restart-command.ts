import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { ReceiverTarget } from "@countersign/contract-kit";

const COMMAND_MS = 60_000;
const LISTENING_MS = 30_000;

/**
 * Runs a shell command which restarts a receiver, and resolves once the receiver accepts connections.
 *
 * @throws {Error} The command does not end with 0 within 60 s, or nothing listens 30 s later.
 */
export async function restartBy(command: string, target: ReceiverTarget): Promise<void> {
  const child = spawn(command, {
    shell: true,
    stdio: "ignore",
    signal: AbortSignal.timeout(COMMAND_MS),
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`--restart-command ended with ${code ?? "a signal"}`);
  const until = performance.now() + LISTENING_MS;
  // oxlint-disable-next-line no-await-in-loop -- one try after the other
  while (!(await isListening(target))) {
    if (performance.now() > until)
      throw new Error(`nothing listens at ${new URL(target.url).host} after --restart-command`);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setTimeout(50);
  }
}

async function isListening({ sockets }: ReceiverTarget): Promise<boolean> {
  // The target's own connection: it refuses a `localhost` that is another machine.
  const connection = sockets.open();
  await connection.ready;
  const isReady = connection.isReady();
  connection.close();
  return isReady;
}
