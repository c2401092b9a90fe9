import { connect } from "node:net";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { reference } from "@countersign/receiver/providers";
import { listen, mounts, type Mount } from "../../packages/receiver/test/adapters/mounts.ts";
import { NOON, secret } from "../../packages/receiver/test/fixtures.ts";
import { type HostileRequest, hostileRequest, isWhole } from "./hostile-request.ts";
import { seeded } from "./random.ts";

/**
 * Every mount except the stand-in for Next.js: it makes a Web `Request` of each method, and the platform
 * throws for some. Hono covers `toFetch`.
 */
export const targets = mounts.filter(({ name }) => !name.includes("Next.js"));

const IN_FLIGHT = 16;
const SILENCE_MS = 20_000;

/** Sends hostile requests at a mount in this process, which must survive them. The same seed sends the same requests. */
export async function campaign(
  mount: Mount,
  { runs, seed }: { readonly runs: number; readonly seed: number },
) {
  const handled: string[] = [];
  const receiver = createReceiver({
    provider: reference,
    secrets: [secret],
    fallback: ({ id }) => void handled.push(id),
    inbox: memoryInbox(),
    log: false,
    now: () => NOON,
    limits: { bodyMs: 2000, concurrentHandlers: 256 },
  });
  const { port, close } = await listen(await mount.serve(receiver));
  /** Requests that were answered 2xx, or whose event was handled, and must not be. */
  const falseAccepts: string[] = [];
  /** Genuine requests that were not answered 204. */
  const falseRefusals: string[] = [];
  /** Number of requests by status; 0 if the connection ended without one. */
  const statuses: Record<string, number> = {};
  const mayBeHandled = new Set<string>();

  const judge = (request: HostileRequest, answered: readonly number[]): void => {
    const accepted = answered.some((status) => status >= 200 && status < 300);
    const line = `${request.id} (seed ${String(seed)}): ${request.done.join(", ")} → ${answered.join(", ")}`;
    for (const status of answered.length === 0 ? [0] : answered)
      statuses[status] = (statuses[status] ?? 0) + 1;
    const { acceptable } = request;
    if (
      acceptable === "yes" ||
      (acceptable === "if-whole" && isWhole(request, mount.seesDuplicates))
    )
      mayBeHandled.add(request.id);
    else if (accepted) falseAccepts.push(line);
    if (acceptable === "yes" && answered[0] !== 204) falseRefusals.push(line);
  };

  /** Rejections and exceptions that nobody handles: each would end a merchant's process. */
  const faults: string[] = [];
  const onFault = (error: unknown): void => void faults.push(String(error));
  process.on("unhandledRejection", onFault).on("uncaughtException", onFault);

  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < runs) {
      const index = next;
      next += 1;
      const request = hostileRequest(index, seeded(seed + index));
      judge(request, await send(port, request.wire));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  close();
  process.off("unhandledRejection", onFault).off("uncaughtException", onFault);

  for (const id of handled) if (!mayBeHandled.has(id)) falseAccepts.push(`${id} was handled`);
  return { faults, falseAccepts, falseRefusals, statuses, handled: handled.length };
}

/** Sends bytes on a new connection, and reads every final status until the server ends it. */
async function send(port: number, wire: Buffer): Promise<readonly number[]> {
  const socket = connect({ port, host: "127.0.0.1" });
  let text = "";
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  socket.on("data", (data) => (text += data.toString("latin1")));
  socket.on("error", () => undefined);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  // Half-closes: a request that waits for more is over, too.
  socket.end(wire);
  await closed;
  const statuses = Array.from(text.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, code]) => Number(code));
  return statuses.filter((status) => status >= 200);
}
