import type { CDPSession, Page } from "playwright-core";

/** An event of a trace: what Chromium writes of one task. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * Watches the tasks of a page's main thread.
 *
 * @returns Ends the watch, and gives the processor time of the longest task in milliseconds: what an input
 *   may have to wait for, whatever else the machine does.
 */
export async function watchMainThread(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  // The protocol types what it collects as objects of any members.
  session.on("Tracing.dataCollected", ({ value }) =>
    events.push(...(value as unknown as TraceEvent[])),
  );
  await session.send("Tracing.start", {
    traceConfig: { includedCategories: ["toplevel"], excludedCategories: ["*"] },
    transferMode: "ReportEvents",
  });
  return async () => {
    await ended(session);
    const main = new Set(
      events
        .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
        .map(({ pid, tid }) => `${String(pid)} ${String(tid)}`),
    );
    const tasks = events.filter(
      ({ name, pid, tid }) => name.endsWith("RunTask") && main.has(`${String(pid)} ${String(tid)}`),
    );
    if (tasks.length === 0) throw new Error("the trace holds no task of the page");
    return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
  };
}

async function ended(session: CDPSession): Promise<void> {
  const complete = new Promise((resolve) => session.once("Tracing.tracingComplete", resolve));
  await session.send("Tracing.end");
  await complete;
}
