import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type ChaosStore, isInstalled } from "./chaos-store.ts";
import { openServed } from "./serve-processes.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The library of Debian's `faketime` that works in processes with threads. */
export const [faketime] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");

/** Processes on one database, and those of them whose clocks step. */
export interface SteppedProcesses {
  readonly store: "sqlite" | "postgres";
  readonly processes: number;
  /** Indices of `processes`. */
  readonly stepping: readonly number[];
}

const all: readonly SteppedProcesses[] = [
  { store: "sqlite", processes: 1, stepping: [0] },
  { store: "postgres", processes: 1, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [0, 1] },
  { store: "postgres", processes: 2, stepping: [0] },
  { store: "postgres", processes: 2, stepping: [1] },
];
export const steppedProcesses = all.filter(isInstalled);

/**
 * Every size and direction, with and without a backlog: deliveries that wait behind a merchant who does not answer when
 * the clock steps. Each step forward goes beyond all earlier ones.
 */
export const CLOCK_STEPS = [1, -1, 3600, -3600, 86_400, -86_400].flatMap((seconds) =>
  [false, true].map((backlog) => ({ seconds, backlog })),
);

/** Calls of the backlog: more than an endpoint's attempts concurrently, fewer than the rate limit of a second. */
const BACKLOG = 16;
/** Longest wait for anything; nothing that works takes as long. */
const PATIENCE_MS = 20_000;

/**
 * Runs processes of `countersign serve` on an empty database and steps their wall clocks.
 *
 * @param withinMs For answers to calls, and for the arrival of their events and of the backlog, after a step and after
 *   its report.
 * @returns The steps after which something took longer, or which a process did not log once.
 */
export async function stepClocks(
  store: ChaosStore,
  { processes, stepping }: SteppedProcesses,
  { steps, withinMs }: { readonly steps: typeof CLOCK_STEPS; readonly withinMs: number },
): Promise<string[]> {
  const { serve, arrived, holdAnswers, askOver } = await openServed(store);
  const folder = temporaryFolder();
  const clocks = Array.from({ length: processes }, (_, index) =>
    fakeClock(join(folder, `clock-${String(index)}.txt`)),
  );
  const started = clocks.map((clock) => serve(clock.env));
  const urls = await Promise.all(started.map((one) => one.ready()));
  let asked = 0;

  const ask = async (url: string): Promise<void> => {
    asked += 1;
    const response = await askOver(url, `step-${String(asked)}`);
    if (response.status !== 201)
      throw new Error(`a call was answered ${String(response.status)}: ${await response.text()}`);
  };
  /** Each refund of a settled payment has one event. */
  const isAllDelivered = (): boolean => arrived.size >= asked;
  const time = async (from: number, isDone: () => boolean): Promise<number> => {
    while (!isDone() && performance.now() - from < PATIENCE_MS) await setTimeout(5);
    return Math.round(performance.now() - from);
  };
  const loggedSteps = (): number =>
    sum(started.map((one) => one.stderr().split("the wall clock stepped").length - 1));

  await Promise.all(urls.map(ask));
  await time(performance.now(), isAllDelivered);
  const faulty: string[] = [];
  for (const step of steps) {
    const loggedBefore = loggedSteps();
    const release = step.backlog ? holdAnswers() : () => {};
    const waiting = Array.from({ length: step.backlog ? BACKLOG : 0 }, (_, index) => index);
    await Promise.all(waiting.map((index) => ask(urls[index % urls.length] ?? "")));
    const from = performance.now();
    for (const index of stepping) clocks[index]?.step(step.seconds);
    release();
    await Promise.all(urls.map(ask));
    const deliveredMs = await time(from, isAllDelivered);
    await time(from, () => loggedSteps() >= loggedBefore + stepping.length);
    const later = performance.now();
    await Promise.all(urls.map(ask));
    const laterMs = await time(later, isAllDelivered);
    const logged = loggedSteps() - loggedBefore;
    const isReported = logged === stepping.length;
    if (Math.max(deliveredMs, laterMs) > withinMs || !isReported)
      faulty.push(JSON.stringify({ ...step, deliveredMs, laterMs, logged }));
  }
  await Promise.all(started.map((one) => one.end()));
  return faulty;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** The wall clock of a process, which its environment names. Its monotonic clock is the machine's. */
function fakeClock(file: string) {
  let seconds = 0;
  const step = (by: number): void => {
    seconds += by;
    writeFileSync(file, `${seconds < 0 ? "" : "+"}${String(seconds)}\n`);
  };
  step(0);
  const env = {
    LD_PRELOAD: faketime ?? "",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return { env, step };
}
