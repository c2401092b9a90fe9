// pnpm alarms: runs the kit against every good receiver with many seeds; any alarm is a false one.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { receiverChecks, requirements } from "@countersign/contract-kit";
import { goodReceivers } from "./good/receivers.ts";
import { alarmsAt } from "./matrix.ts";

const HELP = `pnpm alarms [--seeds N] [--only TEXT] [--at-once N] [--from FILE]

Runs the checks with seeds 1 … N (default: 20) against each good receiver that this machine can run. Writes
test/output/alarms.json after each run; called again, it continues where it stopped. Delete the file after a change
of the checks. Exit code 1 if there is an alarm.
`;

interface Run {
  readonly name: string;
  readonly seed: number;
  readonly seconds: number;
  readonly alarms: readonly string[];
}

const { values: asked } = parseArgs({
  options: {
    seeds: { type: "string", default: "20" },
    only: { type: "string", default: "" },
    "at-once": { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const folder = new URL("../output/", import.meta.url);
const file = new URL("alarms.json", folder);

if (asked.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const here = goodReceivers
    .filter(({ name }) => name.toLowerCase().includes(asked.only.toLowerCase()))
    .filter(({ name, missing }) => {
      const reason = missing?.();
      if (reason !== undefined) console.log(`not run: ${name}: ${reason}`);
      return reason === undefined;
    });
  const runs = [...known()];
  const seeds = Array.from({ length: Number(asked.seeds) }, (_, index) => index + 1);
  const left = seeds
    .flatMap((seed) => here.map((good) => ({ seed, good })))
    .filter(({ seed, good }) => !runs.some((one) => one.name === good.name && one.seed === seed))
    .values();
  const options = { checks: receiverChecks, requirements: requirements() };
  const work = async (): Promise<void> => {
    for (const { seed, good } of left) {
      let started = 0;
      const open: typeof good.open = async () => {
        const opened = await good.open();
        // Building and starting a receiver is not the kit's time.
        started = performance.now();
        return opened;
      };
      // oxlint-disable-next-line no-await-in-loop -- a few at a time, so that none is slowed
      const alarms = await alarmsAt({ ...good, open }, { ...options, seed }).catch(
        (error: unknown) => [String(error)],
      );
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      runs.push({ name: good.name, seed, seconds, alarms });
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, `${JSON.stringify(runs, undefined, 2)}\n`);
      console.log(`${good.name}, seed ${seed}: ${seconds} s, ${alarms.length} alarms`);
      for (const alarm of alarms) console.log(`  ${alarm}`);
    }
  };
  await Promise.all(Array.from({ length: Number(asked["at-once"]) }, work));
  const failed = runs.filter(({ alarms }) => alarms.length > 0);
  console.log(`${failed.length} of ${runs.length} runs raised an alarm`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}

function known(): readonly Run[] {
  try {
    // Only this command writes it.
    return JSON.parse(readFileSync(file, "utf8")) as readonly Run[];
  } catch {
    return [];
  }
}
