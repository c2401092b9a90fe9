import { connect } from "node:net";
import type { Mount } from "../../packages/receiver/test/adapters/mount.ts";
import { type HostileRequest, hostileRequest, isWhole } from "./hostile-request.ts";
import { seeded } from "./random.ts";
import type { Report, TargetProcess } from "./target-process.ts";

/** What a campaign found. Every list is empty where the receiver holds. */
export interface Findings extends Pick<Report, "alive" | "faults"> {
  /** Requests that were answered 2xx, or whose event was handled, and must not be. */
  readonly falseAccepts: readonly string[];
  /** Genuine requests that were not answered 204. */
  readonly falseRefusals: readonly string[];
  /** How many requests got each status; 0 where the connection ended without one. */
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
  const falseAccepts: string[] = [];
  const falseRefusals: string[] = [];
  const statuses: Record<string, number> = {};
  const mayBeHandled = new Set<string>();

  const judge = (request: HostileRequest, answered: readonly number[]): void => {
    const accepted = answered.some((status) => status >= 200 && status < 300);
    const told = `${request.id} (seed ${String(seed)}): ${request.done.join(", ")} → ${answered.join(", ")}`;
    for (const status of answered.length === 0 ? [0] : answered)
      statuses[status] = (statuses[status] ?? 0) + 1;
    if (isAcceptable(request, mount)) mayBeHandled.add(request.id);
    else if (accepted) falseAccepts.push(told);
    if (request.acceptable === "yes" && answered[0] !== 204) falseRefusals.push(told);
  };

  let next = 0;
  const sender = async (): Promise<void> => {
    while (next < runs && target.runs()) {
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

function isAcceptable(request: HostileRequest, mount: Pick<Mount, "seesDuplicates">): boolean {
  if (request.acceptable !== "if-whole") return request.acceptable === "yes";
  return isWhole(request, mount.seesDuplicates);
}

/** Sends bytes on a connection of their own, ends it, and reads every final status until the server does. */
function send(port: number, wire: Buffer): Promise<readonly number[]> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    let text = "";
    const settle = (): void => {
      socket.destroy();
      const statuses = Array.from(text.matchAll(/HTTP\/1\.[01] (\d{3})/g), ([, code]) =>
        Number(code),
      );
      resolve(statuses.filter((status) => status >= 200));
    };
    socket.setTimeout(SILENCE_MS, settle);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.once("end", settle);
    socket.once("error", settle);
    socket.once("close", settle);
    // The end of what is sent: a request that waits for more is over, too.
    socket.end(wire);
  });
}
