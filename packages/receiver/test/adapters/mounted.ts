import type { Server } from "node:http";
import { onTestFinished } from "vitest";
import { recordingReceiver } from "../fixtures.ts";
import { listen, type Mount } from "./mounts.ts";

/** Listens on a free port of this machine until the test ends. */
export async function listenInTest(server: Server): Promise<{ port: number; server: Server }> {
  const { port, close } = await listen(server);
  onTestFinished(close);
  return { port, server };
}

/** A receiver on a mount that listens until the test ends. */
export async function mounted(
  { serve }: Pick<Mount, "serve">,
  options?: Parameters<typeof recordingReceiver>[0],
) {
  const recording = recordingReceiver(options);
  return { ...recording, ...(await listenInTest(await serve(recording.receiver))) };
}

export const countConnections = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
