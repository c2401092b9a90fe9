// pnpm mutate:receivers: at its default levels the kit must turn red at 90 % of the mutants of good receivers.
import { readFileSync, writeFileSync } from "node:fs";
import { baselineOf, type Mutant, type Noticed, noticedOf, writeMutants } from "./mutants.ts";
import survivors from "./survivors.json" with { type: "json" };

const HELP = `pnpm mutate:receivers [TEXT]

Runs the kit, with all levels and the unchanged receiver's findings as the baseline, against each mutant of the
stock receivers in JavaScript. TEXT is part of a mutant's name; default: all. Writes test/output/mutation.json
after each; called again, it continues where it stopped. Delete the file after a change of the checks. Survivors,
and mutants that are only warnings, are argued in test/matrix/survivors.json. Exit code 1 if fewer than 90 % of
the mutants that change behaviour fail a run at the default levels, or if one of the others is not argued.`;

const GOAL = 0.9;
/** Mutants that run at once. One per core of a small machine. */
const LANES = 2;
const results = new URL("../output/mutation.json", import.meta.url);

const [text = ""] = process.argv.slice(2).filter((argument) => argument !== "--");
if (text === "--help") console.log(HELP);
else await main();

async function main(): Promise<void> {
  const mutants = (await writeMutants()).filter(({ name }) => name.includes(text));
  const baselines = new Map<string, ReadonlySet<string>>();
  for (const file of new Set(mutants.map((one) => one.file)))
    // oxlint-disable-next-line no-await-in-loop -- one at a time, so that none is slowed
    baselines.set(file, await baselineOf(file));
  const known = earlierResults();
  const left = mutants.filter(({ name }) => known[name] === undefined).values();
  const work = async (): Promise<void> => {
    for (const mutant of left) {
      // oxlint-disable-next-line no-await-in-loop -- a few at a time
      const noticed = await noticedOf(mutant, baselines.get(mutant.file) ?? new Set());
      known[mutant.name] = noticed;
      writeFileSync(results, `${JSON.stringify(known, undefined, 2)}\n`);
      console.log(`${noticed.grave ? "red" : noticed.mild ? "warn" : "SURVIVED"}\t${mutant.name}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, work));
  summarise(mutants, known);
}

function summarise(mutants: readonly Mutant[], known: Readonly<Record<string, Noticed>>): void {
  const {
    equivalent,
    unnoticed,
    warned,
  }: Record<string, Partial<Record<string, string>>> = survivors;
  const isRed = ({ name }: Mutant): boolean => known[name]?.grave !== undefined;
  const isWarned = (one: Mutant): boolean => !isRed(one) && known[one.name]?.mild !== undefined;
  const told = (title: string, these: readonly Mutant[]): number => {
    const red = these.filter(isRed).length;
    const warnings = these.filter(isWarned).length;
    const isUnseen = (one: Mutant): boolean => !isRed(one) && !isWarned(one);
    const same = these.filter(
      (one) => isUnseen(one) && equivalent?.[one.name] !== undefined,
    ).length;
    const share = red / Math.max(1, these.length - same);
    const percent = (share * 100).toFixed(1);
    const rest = `${warnings} warnings, ${same} equivalent`;
    console.log(`${title.padEnd(30)} ${red} of ${these.length - same} red (${percent} %), ${rest}`);
    return share;
  };
  console.log("");
  for (const [file, these] of Map.groupBy(mutants, (one) => one.file)) told(file, these);
  const share = told("all", mutants);
  const unargued = mutants.filter((one) => {
    const reasons = isWarned(one) ? warned : { ...equivalent, ...unnoticed };
    return !isRed(one) && reasons?.[one.name] === undefined;
  });
  for (const { name } of unargued) console.error(`not argued: ${name}`);
  process.exitCode = share >= GOAL && unargued.length === 0 ? 0 : 1;
}

function earlierResults(): Record<string, Noticed> {
  try {
    // This command writes the file.
    return JSON.parse(readFileSync(results, "utf8")) as Record<string, Noticed>;
  } catch {
    return {};
  }
}
