import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  levels,
  providerChecks,
  receiverChecks,
  receiverTarget,
  requirements,
  run,
  type RunOptions,
  type Target,
} from "@countersign/contract-kit";
import { providerPacts, serviceProvider } from "@countersign/contract-kit/pact";
import { profiles } from "@countersign/schemas/profiles";
import { onTestFinished } from "vitest";
import { openTargetAt, quick } from "../../packages/contract-kit/test/provider/open-target.ts";
import { secrets } from "../../packages/contract-kit/test/receiver/open-receiver.ts";

const ROOT = new URL("../../", import.meta.url);
const REPLACE = fileURLToPath(new URL("replace.mjs", import.meta.url));
const SANDBOX = new URL("faulty-sandbox.ts", import.meta.url);
const RECEIVER = new URL("strict-receiver.ts", import.meta.url);

/** A realistic mistake in a service or a receiver, as one line of a list. */
export interface Fault {
  /** Unique in its list. */
  readonly id: string;
  /** The broken promise and its victim; of a receiver, as one reads it after "a receiver that". */
  readonly breaks: string;
  /** A requirement that fails with it; `undefined` if no check notices it. */
  readonly fails?: string;
  /** The check that notices it. Default: each that tests the requirement, but for the pacts. */
  readonly check?: string;
  /** The reason why no check notices it. */
  readonly missed?: string;
  readonly edits: readonly Edit[];
}

/** A file from the root of the repository, a text that occurs once in it, and what replaces it. */
type Edit = readonly [file: string, find: string, replacement: string];

/** Mistakes in the reference service, which `verify provider` tests. */
export const providerFaults: readonly Fault[] = readFaults("provider-faults.jsonl");

/** Mistakes in `strict-receiver.ts`, one for each requirement that `verify receiver` tests. */
export const receiverFaults: readonly Fault[] = readFaults("receiver-faults.jsonl");

function readFaults(name: string): readonly Fault[] {
  const text = readFileSync(new URL(name, import.meta.url), "utf8");
  // The cast: this repository's own file, which a test reads.
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Fault);
}

/** The edits whose text does not occur exactly once: their fault would change nothing, or too much. */
export const driftedEdits: readonly string[] = [...providerFaults, ...receiverFaults].flatMap(
  ({ id, edits }) =>
    edits.flatMap(([file, find]) => {
      const count = readFileSync(new URL(file, ROOT), "utf8").split(find).length - 1;
      return count === 1 ? [] : [`${id}: ${file} has the text ${count} times: ${find}`];
    }),
);

/** `broke`: the requirement does not fail and a check ended with an error, which proves nothing. */
export type FaultVerdict = "noticed" | "missed" | "broke";

/** Starts a sandbox with a fault, and runs the checks of the fault's requirement against it. */
export async function verdictOnProvider({
  fails = "",
  check,
  edits,
}: Fault): Promise<FaultVerdict> {
  const started = await startFaulty(SANDBOX, quick, edits);
  const { url = "", token = "" } = started.said;
  onTestFinished(started.end);
  const target = await openTargetAt(url, token, { profile: quick });
  const { send, states } = target;
  if (states === undefined) throw new Error("a sandbox prepares states");
  const open = () => serviceProvider({ send, states, token, profile: quick });
  const checks = check === "provider/pacts" ? [providerPacts({ open })] : providerChecks;
  return verdictOn({ target, checks, only: [fails] });
}

/** Starts the strict receiver with a fault, and runs the checks of the fault's requirement against it. */
export async function verdictOnReceiver({ fails = "", edits }: Fault): Promise<FaultVerdict> {
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
  const standard = { url, effectsUrl, secrets: own, profile: profiles.standard };
  return { target: receiverTarget({ ...standard, deadlineMs: 10_000, ...options }), close: end };
}

async function verdictOn<T extends Target>(
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
  const node = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
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
    child.disconnect();
    await exited;
  };
  return { said, end };
}
