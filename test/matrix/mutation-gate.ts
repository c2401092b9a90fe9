// pnpm mutate:receivers: at its default levels the kit must turn red at 90 % of the mutants of good receivers.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { baselineOf, type Noticed, noticedOf, writeMutants } from "./mutants.ts";

const HELP = `pnpm mutate:receivers [--only TEXT] [--at-once N] [--seed N]

Runs the kit, with all levels and the unchanged receiver's findings as the baseline, against each mutant of the
stock receivers in JavaScript. Writes test/output/mutation.json after each;
called again, it continues where it stopped. Delete the file after a change of the checks. Survivors, and mutants
that are only warnings, are argued in test/matrix/survivors.json. Exit code 1 if fewer than 90 % of the mutants
that change behaviour fail a run at the default levels, or if one of the others is not argued.
`;

const { values: asked } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    "at-once": { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const results = new URL("../output/mutation.json", import.meta.url);
const survivors = new URL("survivors.json", import.meta.url);
const GOAL = 0.9;

type Results = Record<string, Noticed>;

if (asked.help) process.stdout.write(HELP);
else await main();

async function main(): Promise<void> {
  const seed = Number(asked.seed);
  const mutants = (await writeMutants()).filter(({ name }) => name.includes(asked.only));
  const baselines = new Map<string, ReadonlySet<string>>();
  for (const file of new Set(mutants.map((one) => one.file)))
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that none is slowed
    baselines.set(file, await baselineOf(file, seed));
  const known = read<Results>(results, {});
  const left = mutants.filter(({ name }) => known[name] === undefined).values();
  const work = async (): Promise<void> => {
    for (const mutant of left) {
      // oxlint-disable-next-line no-await-in-loop -- a few at a time
      const noticed = await noticedOf(mutant, baselines.get(mutant.file) ?? new Set(), seed);
      known[mutant.name] = noticed;
      writeFileSync(results, `${JSON.stringify(known, undefined, 2)}\n`);
      console.log(`${noticed.grave ? "red" : noticed.mild ? "warn" : "SURVIVED"}\t${mutant.name}`);
    }
  };
  await Promise.all(Array.from({ length: Number(asked["at-once"]) }, work));
  summarise(
    mutants.map(({ file, name }) => ({ file, name, noticed: known[name] ?? {} })),
    read<Argued>(survivors, { equivalent: {}, unnoticed: {}, warned: {} }),
  );
}

/** Reasons by a mutant's name. */
interface Argued {
  /** They change nothing that anyone could see. */
  readonly equivalent: Readonly<Record<string, string>>;
  readonly unnoticed: Readonly<Record<string, string>>;
  /** They fail no run at the default levels. */
  readonly warned: Readonly<Record<string, string>>;
}

interface Judged {
  readonly file: string;
  readonly name: string;
  readonly noticed: Noticed;
}

function isNoticed({ noticed }: Judged): boolean {
  return noticed.grave !== undefined || noticed.mild !== undefined;
}

function summarise(judged: readonly Judged[], { equivalent, unnoticed, warned }: Argued): void {
  const told = (name: string, these: readonly Judged[]): number => {
    const real = these.filter((one) => isNoticed(one) || equivalent[one.name] === undefined);
    const noticed = real.filter(isNoticed).length;
    const red = real.filter((one) => one.noticed.grave !== undefined).length;
    const share = red / Math.max(1, real.length);
    const percent = (share * 100).toFixed(1);
    const rest = `${noticed} noticed, ${these.length - real.length} equivalent`;
    console.log(`${name.padEnd(30)} ${red} of ${real.length} red (${percent} %), ${rest}`);
    return share;
  };
  console.log("");
  for (const [file, these] of Map.groupBy(judged, (one) => one.file)) told(file, these);
  const share = told("all", judged);
  const unargued = judged.filter((one) => {
    const reasons = isNoticed(one) ? warned : { ...equivalent, ...unnoticed };
    return one.noticed.grave === undefined && reasons[one.name] === undefined;
  });
  for (const { name } of unargued) console.error(`not argued: ${name}`);
  process.exitCode = share >= GOAL && unargued.length === 0 ? 0 : 1;
}

function read<T>(file: URL, none: T): T {
  try {
    // This command writes one, and the other one is committed.
    return JSON.parse(readFileSync(file, "utf8")) as T;
  } catch {
    return none;
  }
}
