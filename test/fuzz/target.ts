import { createReceiver } from "@countersign/receiver";
import { flawed } from "./flawed.ts";
import { listen, mounts } from "../../packages/receiver/test/adapters/mounts.ts";
import { NOON, secret } from "../../packages/receiver/test/fixtures.ts";

// A merchant's process: one mount, that of its first argument. It counts what would have ended it.

const faults: string[] = [];
process.on(
  "unhandledRejection",
  (reason) => void faults.push(`unhandledRejection: ${String(reason)}`),
);
process.on("uncaughtException", (error) => void faults.push(`uncaughtException: ${String(error)}`));

const mount = [...mounts, ...flawed].find(({ name }) => name === process.argv[2]);
if (mount === undefined) throw new Error(`no mount ${JSON.stringify(process.argv[2])}`);

const handled: string[] = [];
const receiver = createReceiver({
  secrets: [secret],
  fallback: ({ id }) => void handled.push(id),
  now: () => NOON,
  limits: { bodyMs: 2000, concurrentHandlers: 256 },
});
const { port } = await listen(await mount.serve(receiver));

process.on("message", () => {
  process.send?.({ faults, handled, pid: process.pid });
});
process.send?.({ port });
