import { connect } from "node:net";
import type { Mount } from "../../packages/receiver/test/adapters/mounts.ts";
import { type HostileRequest, hostileRequest, isWhole } from "./hostile-request.ts";
import { seeded } from "./random.ts";
import type { Report, TargetProcess } from "./target-process.ts";

/** The findings of a campaign. Every list is empty if the receiver passes. */
export interface Findings extends Pick<Report, "alive" | "faults"> {
  /** Requests that were answered 2xx, or whose event was handled, and must not be. */
  readonly falseAccepts: readonly string[];
  /** Genuine requests that were not answered 204. */
  readonly falseRefusals: readonly string[];
  /** Number of requests by status; 0 if the connection ended without one. */
  readonly statuses: Readonly<Record<string, number>>;
  readonly handled: number;
}

const IN_FLIGHT = 16;
const SILENCE_MS = 20_000;

/** Sends hostile requests at a mount that a process serves. The same seed sends the same ones. */
export async function campaign(
  target: TargetProcess,
  mount: Pick<Mount, "name" | "seesDuplicates">,
  { runs, seed }: { readonly runs: number; readonly seed: number },
): Promise<Findings> {
  const port = target.portOf(mount.name);
  if (port === undefined) throw new Error(`${JSON.stringify(mount.name)} is not served`);
  const falseAccepts: string[] = [];
  const falseRefusals: string[] = [];
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

  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < runs && target.isRunning()) {
      const index = next;
      next += 1;
      const request = hostileRequest(index, seeded(seed + index));
      judge(request, await send(port, request.wire));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, sender));

  const { alive, faults, handled } = await target.report();
  const wrongly = handled.filter((id) => !mayBeHandled.has(id));
  return {
    alive,
    faults,
    falseAccepts: [...falseAccepts, ...wrongly.map((id) => `${id} was handled`)],
    falseRefusals,
    statuses,
    handled: handled.length,
  };
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
