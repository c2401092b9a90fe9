import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { EngineClass } from "./process.ts";

/** A fault of the engine that the simulation has to find. */
interface Bug {
  readonly name: string;
  readonly rule: RegExp;
  /** File of `src/delivery`. */
  readonly file: string;
  readonly text: string;
  readonly replacement: string;
}

export const BUGS: readonly Bug[] = [
  {
    name: "endpoints taken before a lost membership is renewed",
    rule: /takes endpoints before it takes part/,
    file: "engine.ts",
    text: "if (!(await this.#keepLeases())) continue;",
    replacement: "await this.#keepLeases();",
  },
  {
    name: "a process that goes on after it was removed",
    rule: /without its lease|twice at once/,
    file: "leases.ts",
    text: "if (!members.some(({ id }) => id === this.#id))",
    replacement: "if (members.length === 0)",
  },
  {
    name: "an endpoint given back while attempts are in flight",
    rule: /attempted twice at once/,
    file: "queues.ts",
    text: ".filter(({ open }) => open.size === 0)",
    replacement: "",
  },
  {
    name: "leases forgotten whose call was not answered",
    rule: /has not started|endpoints/,
    file: "engine.ts",
    text: "this.#leases.doubt();",
    replacement: "",
  },
  {
    name: "no full reads",
    rule: /has not started/,
    file: "queues.ts",
    text: "now - held.fullReadAt >= ENGINE.fullReadMs",
    replacement: "now < 0",
  },
  {
    name: "a lost commit taken for a stored one",
    rule: /has not started/,
    file: "recorder.ts",
    text: "await clock.sleep(ENGINE.storeRetryMs);",
    replacement: "recorded(this.#waiting.splice(0, group.length), group);",
  },
  {
    name: "a retry one step too early",
    rule: /waits for/,
    file: "decisions.ts",
    text: "schedule.steps[failed.attempt]",
    replacement: "schedule.steps[failed.attempt - 1]",
  },
  {
    name: "endpoints that are not shared",
    rule: /endpoints/,
    file: "leases.ts",
    text: "surplus <= fair / 10",
    replacement: "surplus <= fair",
  },
];

const SOURCES = new URL("../../../src/", import.meta.url);
/** A folder of this package, from which the sources find their dependencies. */
const OUTPUT = fileURLToPath(new URL("../../output/", import.meta.url));

/** Loads the engine with a bug. @throws {Error} The text that it changes is not there. */
export async function plant({ file, text, replacement }: Bug): Promise<EngineClass> {
  mkdirSync(OUTPUT, { recursive: true });
  const folder = mkdtempSync(join(OUTPUT, "planted-"));
  const delivery = new URL("delivery/", SOURCES);
  for (const name of readdirSync(delivery).filter((one) => one.endsWith(".ts"))) {
    const source = readFileSync(new URL(name, delivery), "utf8");
    if (name === file && !source.includes(text)) throw new Error(`${name} has no "${text}"`);
    const changed = name === file ? source.replaceAll(text, replacement) : source;
    const place = changed
      .replaceAll('from "../', `from "${SOURCES.href}`)
      .replaceAll('from "./egress/', `from "${delivery.href}egress/`);
    writeFileSync(join(folder, name), place);
  }
  // A module of this repository, but for the change.
  const loaded = (await import(pathToFileURL(join(folder, "engine.ts")).href)) as {
    readonly DeliveryEngine: EngineClass;
  };
  rmSync(folder, { recursive: true });
  return loaded.DeliveryEngine;
}
