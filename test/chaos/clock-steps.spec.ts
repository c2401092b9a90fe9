import { globSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { linesOf } from "./books.ts";
import { startBundled } from "./bundled.ts";
import { startSink } from "./delivery-sink.ts";
import { sqliteStore } from "./delivery-store.ts";
import { startWriting, subscribe } from "./delivery-writer.ts";

const [library] = globSync("/usr/lib/*/faketime/libfaketimeMT.so.1");
const why = library === undefined ? " (skipped: faketime is not installed)" : "";

describe(`a process that delivers while its wall clock steps${why}`, () => {
  it.skipIf(library === undefined).each([
    ["an hour back", -3600],
    ["a day forward", 86_400],
  ])("by %s goes on delivering and reports the step", async (_, seconds) => {
    const { database, driver } = sqliteStore();
    const sink = await startSink();
    onTestFinished(() => sink.close());
    await subscribe(driver, sink.url);
    const crashes = join(dirname(database), "crashes.txt");
    const offset = join(dirname(database), "offset.txt");
    const setClock = (ahead: number): void =>
      writeFileSync(offset, `${ahead < 0 ? "-" : "+"}${String(Math.abs(ahead))}\n`);
    setClock(0);
    const child = await startBundled(
      "deliverer",
      { name: "process-1", database, crashes, leaseMs: 3000, ahead: 0 },
      {
        LD_PRELOAD: library,
        FAKETIME_TIMESTAMP_FILE: offset,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      },
    );
    onTestFinished(() => child.kill());
    const writing = startWriting(driver);
    await expect.poll(() => sink.arrived.size, { timeout: 10_000 }).toBeGreaterThan(0);
    setClock(seconds);
    const before = sink.arrived.size;
    // In two seconds the writer writes 100 events or more.
    await expect.poll(() => sink.arrived.size, { timeout: 5000 }).toBeGreaterThan(before + 50);
    await expect.poll(() => linesOf(crashes), { timeout: 5000 }).toHaveLength(1);
    const [line = ""] = linesOf(crashes);
    expect(Math.abs(Number(/-?\d+/.exec(line)) - seconds * 1000)).toBeLessThan(1000);
    await writing.end();
  });
});
