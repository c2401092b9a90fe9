import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  levels,
  receiverChecks,
  receiverTarget,
  requirements,
  run,
  type RunOptions,
  type Target,
} from "@countersign/contract-kit";
import { reference } from "@countersign/schemas/providers";
import { secrets } from "../../packages/contract-kit/test/receiver/open-receiver.ts";

const ROOT = new URL("../../", import.meta.url);
const REPLACE = fileURLToPath(new URL("replace.mjs", import.meta.url));
const RECEIVER = new URL("strict-receiver.ts", import.meta.url);

/** A realistic mistake in `strict-receiver.ts`, as one line of a list. */
interface ReceiverFault {
  readonly id: string;
  /** The broken promise, as one reads it after "a receiver that". */
  readonly breaks: string;
  /** The requirement that fails with it. */
  readonly fails: string;
  readonly edits: readonly Edit[];
}

/** A file from the root of the repository, a text that occurs once in it, and what replaces it. */
type Edit = readonly [file: string, find: string, replacement: string];

/** Mistakes in `strict-receiver.ts`, one for each requirement that `verify receiver` tests. */
export const receiverFaults: readonly ReceiverFault[] = readFaults("receiver-faults.jsonl");

function readFaults(name: string): readonly ReceiverFault[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  // The cast: this repository's own file, which a test reads.
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ReceiverFault);
}

/** The edits whose text does not occur exactly once: their fault would change nothing, or too much. */
export const driftedEdits: readonly string[] = receiverFaults.flatMap(({ id, edits }) =>
  edits.flatMap(([file, find]) => {
    const count = readFileSync(new URL(file, ROOT), "utf8").split(find).length - 1;
    return count === 1 ? [] : [`${id}: ${file} has the text ${count} times: ${find}`];
  }),
);

/** `broke`: the requirement does not fail and a check ended with an error, which proves nothing. */
export type FaultVerdict = "noticed" | "missed" | "broke";

/** Starts the strict receiver with a fault, and runs the checks of the fault's requirement against it. */
export async function verdictOnReceiver({ fails, edits }: ReceiverFault): Promise<FaultVerdict> {
  const { target, close } = await openStrictReceiver(edits, {
    slow: ["R-BODY-SLOW", "R-ACK-HANGING"].includes(fails),
    // Others answer soon, but not within a short deadline on a busy machine.
    ...(fails === "R-ACK-IN-TIME" && { deadlineMs: 3000 }),
    effectsWaitMs: 300,
  });
  try {
    return await verdictOn({ target, checks: receiverChecks, only: [fails] });
  } finally {
    await close();
  }
}

/** Starts a receiver by hand, by default without a fault. */
export async function openStrictReceiver(
  edits: readonly Edit[] = [],
  options: Partial<Parameters<typeof receiverTarget>[0]> = {},
) {
  const own = secrets["standard"] ?? [];
  const { said, end } = await startFaulty(RECEIVER, own, edits);
  const { url = "", effectsUrl } = said;
  const standard = { url, effects: effectsUrl, secrets: own, provider: reference };
  return { target: receiverTarget({ ...standard, deadlineMs: 10_000, ...options }), close: end };
}

/** Runs checks against a target with a fault. */
export async function verdictOn<T extends Target>(
  options: Omit<RunOptions<T>, "requirements">,
): Promise<FaultVerdict> {
  const noticed = new AbortController();
  const { findings } = await run({
    ...options,
    requirements: requirements(),
    // A failure at any level counts as noticed.
    failOn: levels,
    signal: noticed.signal,
    onFinding: ({ status }) => {
      if (status === "fail") noticed.abort();
    },
  });
  if (noticed.signal.aborted) return "noticed";
  return findings.some(({ status }) => status === "error") ? "broke" : "missed";
}

/** Starts a program of this folder in its own process, in which the edits replace parts of the sources. */
async function startFaulty(program: URL, argument: unknown, edits: readonly Edit[]) {
  const node = ["--disable-warning=ExperimentalWarning"];
  const child = fork(program, [JSON.stringify(argument)], {
    execArgv: [...node, `--import=${REPLACE}`],
    env: { ...process.env, COUNTERSIGN_FAULT: JSON.stringify(edits) },
  });
  const exited = once(child, "exit");
  const early = exited.then(() => Promise.reject(new Error(`${program.href} did not start`)));
  early.catch(() => undefined);
  // The cast: the one message of each program.
  const [said] = (await Promise.race([once(child, "message"), early])) as [
    Readonly<Partial<Record<"url" | "token" | "effectsUrl", string>>>,
  ];
  const end = async (): Promise<void> => {
    // A fault may have ended it.
    if (child.connected) child.disconnect();
    await exited;
  };
  return { said, end };
}
