import { createReceiver, memoryInbox } from "@countersign/receiver";
import { listen, mounts } from "../../packages/receiver/test/adapters/mounts.ts";
import { NOON, secret } from "../../packages/receiver/test/fixtures.ts";
import { flawed } from "./targets.ts";

// A merchant's process with the mounts that its arguments name. It counts the faults that would have ended it.

let faults: string[] = [];
process.on(
  "unhandledRejection",
  (reason) => void faults.push(`unhandledRejection: ${String(reason)}`),
);
process.on("uncaughtException", (error) => void faults.push(`uncaughtException: ${String(error)}`));

let handled: string[] = [];
const ports: Record<string, number> = {};
for (const name of process.argv.slice(2)) {
  const mount = [...mounts, ...flawed].find((one) => one.name === name);
  if (mount === undefined) throw new Error(`no mount ${JSON.stringify(name)}`);
  const receiver = createReceiver({
    secrets: [secret],
    fallback: ({ id }) => void handled.push(id),
    inbox: memoryInbox(),
    log: false,
    now: () => NOON,
    limits: { bodyMs: 2000, concurrentHandlers: 256 },
  });
  ({ port: ports[name] } = await listen(await mount.serve(receiver)));
}

// Faults and events since the last report: campaigns follow each other.
process.on("message", () => {
  process.send?.({ faults, handled, pid: process.pid });
  [faults, handled] = [[], []];
});
process.send?.({ ports });
