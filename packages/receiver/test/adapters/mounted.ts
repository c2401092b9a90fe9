import { createServer, type Server } from "node:http";
import { promisify } from "node:util";
import { toNode } from "@countersign/receiver/node";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { attemptOf, recordingReceiver, refundAuthorized } from "../fixtures.ts";
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

/** A receiver on node:http, and a sender of one new event at each `post`, over connections that it keeps until the test ends. */
export async function sending(handler: () => unknown, { connections = 4 } = {}) {
  const recording = recordingReceiver();
  recording.receiver.on("refund.authorized", handler);
  const answer = toNode(recording.receiver);
  const listening = await listenInTest(
    createServer((incoming, outgoing) => void answer(incoming, outgoing)),
  );
  const dispatcher = new Agent({ connections, keepAliveTimeout: 60_000 });
  onTestFinished(() => dispatcher.destroy());
  let serial = 0;
  const post = async (): Promise<number> => {
    const { headers, body } = attemptOf(refundAuthorized(`evt_${String((serial += 1))}`));
    const url = `http://127.0.0.1:${String(listening.port)}/`;
    const reply = await request(url, { method: "POST", headers, body, dispatcher });
    await reply.body.dump();
    return reply.statusCode;
  };
  return { ...recording, ...listening, post };
}

export const countConnections = (server: Server): Promise<number> =>
  promisify(server.getConnections.bind(server))();
