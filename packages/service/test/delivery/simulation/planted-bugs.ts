import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { DeliveryEngine } from "../../../src/delivery/engine.ts";
import { ModelStore } from "./model-store.ts";
import type { EngineClass } from "./process.ts";
import type { Parts } from "./simulation.ts";

/** A fault of the engine or its store that the simulation has to find. */
export interface Bug {
  readonly name: string;
  readonly rule: RegExp;
  /** File of `src/delivery`, without its extension. */
  readonly file?: string;
  /** The text in the file, and its replacement. */
  readonly changes?: readonly (readonly [text: string, replacement: string])[];
  readonly Store?: typeof ModelStore;
}

export const BUGS: readonly Bug[] = [
  {
    name: "a completion without the guard by attempts",
    rule: /is recorded/,
    Store: class extends ModelStore {
      protected override isNext(): boolean {
        return true;
      }
    },
  },
  {
    name: "a process removed although it beats",
    rule: /is removed although it beats/,
    file: "leases",
    changes: [
      ["if (seen?.beat !== beat)", "if (seen === undefined)"],
      ["seen?.beat === beat &&", "seen &&"],
    ],
  },
  {
    name: "a lease measured in wall time",
    rule: /without its lease/,
    file: "leases",
    changes: [
      ["this.#beatAt + leaseMs - now", "this.#beatAt + leaseMs - this.#ports.clock.now()"],
      ["this.#beatAt = begun;", "this.#beatAt = clock.now();"],
      ["begun - this.#beatAt", "clock.now() - this.#beatAt"],
      [
        "this.#beatAt + this.#beatEvery",
        "this.#beatAt + this.#beatEvery - this.#ports.clock.now() + this.#ports.clock.elapsed()",
      ],
    ],
  },
  {
    name: "endpoints taken before a lost membership is renewed",
    rule: /takes endpoints before it takes part/,
    file: "engine",
    changes: [["if (!(await this.#keepLeases())) continue;", "await this.#keepLeases();"]],
  },
  {
    name: "leases forgotten whose call was not answered",
    rule: /has not started|endpoints/,
    file: "engine",
    changes: [["this.#leases.doubt();", ""]],
  },
  {
    name: "an endpoint given back while attempts are in flight",
    rule: /attempted twice at once/,
    file: "queues",
    changes: [[".filter(({ open }) => open.size === 0)", ""]],
  },
  {
    name: "an endpoint kept in memory after it was given back",
    rule: /without its lease|twice at once|has not started/,
    file: "queues",
    changes: [["for (const held of free) this.forget(held);", "this.#leaving.clear();"]],
  },
  {
    name: "a cursor that hints do not set back",
    rule: /has not started/,
    file: "queues",
    changes: [["if (nextAt <= held.cursor.nextAt)", "if (nextAt < 0)"]],
  },
  {
    name: "no full reads",
    rule: /has not started/,
    file: "queues",
    changes: [["now - held.fullReadAt >= ENGINE.fullReadMs", "now < 0"]],
  },
  {
    name: "hints ignored for leased endpoints",
    rule: /has not started/,
    file: "engine",
    changes: [["this.#queues.notice(held, at);", ""]],
  },
  {
    name: "a lost commit taken for a stored one",
    rule: /has not started/,
    file: "recorder",
    changes: [
      [
        "await clock.sleep(ENGINE.storeRetryMs);",
        "recorded(this.#waiting.splice(0, group.length), group);",
      ],
    ],
  },
  {
    name: "an overloaded endpoint that does not rest",
    rule: /does not rest/,
    file: "held",
    changes: [["isLive && pace.restsUntil > now", "false"]],
  },
  {
    name: "due times compared with wall time",
    rule: /has not started/,
    file: "queues",
    changes: [["const now = this.#ports.dueClock.now();", "const now = this.#ports.clock.now();"]],
  },
  {
    name: "leases kept by a process that stopped",
    rule: /has stopped and keeps its leases/,
    file: "leases",
    changes: [["if (this.#beat > 0)", "if (this.#beat < 0)"]],
  },
  {
    name: "endpoints that are not shared",
    rule: /endpoints/,
    file: "leases",
    changes: [["surplus <= fair / 10", "surplus <= fair"]],
  },
];

const SOURCES = new URL("../../../src/", import.meta.url);

/** Loads the engine with a bug. @throws {Error} The text that it changes is not there. */
export async function plant({ file, changes = [], Store = ModelStore }: Bug): Promise<Parts> {
  if (file === undefined) return { Store, Engine: DeliveryEngine };
  const folder = mkdtempSync(join(tmpdir(), "countersign-planted-"));
  const delivery = new URL("delivery/", SOURCES);
  for (const name of readdirSync(delivery).filter((one) => one.endsWith(".ts"))) {
    let text = readFileSync(new URL(name, delivery), "utf8");
    if (name === `${file}.ts`)
      for (const [before, after] of changes) {
        if (!text.includes(before)) throw new Error(`${name} has no ${JSON.stringify(before)}`);
        text = text.replaceAll(before, after);
      }
    const place = text
      .replaceAll('from "../', `from "${SOURCES.href}`)
      .replaceAll('from "./egress/', `from "${delivery.href}egress/`);
    writeFileSync(join(folder, name), place);
  }
  // A module of this repository, but for the change.
  const loaded = (await import(pathToFileURL(join(folder, "engine.ts")).href)) as {
    readonly DeliveryEngine: EngineClass;
  };
  rmSync(folder, { recursive: true });
  return { Store, Engine: loaded.DeliveryEngine };
}
