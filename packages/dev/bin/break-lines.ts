// Breaks lines of the packages' sources on purpose, one at a time, and prints which test of the quick lane notices each.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { allChanges, failingTest, packageOf, withChange, type Change } from "../src/break-lines.ts";

const HELP = `Breaks random lines of the packages' sources and reports which quick test notices each.
Run it in the repository's root; every file is restored, also after Ctrl-C.

  --seed N       choose the lines by this seed (default 1)
  --lines N      number of lines, at least one per package (default 30)
  --save FILE    save the chosen lines as JSON and run no test
  --replay FILE  break the lines of a saved choice; reserve lines replace those that no longer exist`;

const { values: options } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    lines: { type: "string", default: "30" },
    save: { type: "string" },
    replay: { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(130));
/** Files whose failures do not depend on the change, for instance on a busy machine. */
const unreliable = new Set<string>();
if (options.help) console.log(HELP);
else if (options.save === undefined) await report(await choose());
else writeFileSync(options.save, `${JSON.stringify(await choose(), undefined, 2)}\n`);

/** Returns the saved or drawn changes: `--lines` of them, and half as many in reserve. */
async function choose(): Promise<readonly Change[]> {
  // Written by `--save`.
  if (options.replay !== undefined)
    return JSON.parse(readFileSync(options.replay, "utf8")) as Change[];
  const wanted = Math.ceil(Number(options.lines) * 1.5);
  const order = (value: string): string =>
    createHash("sha256").update(`${options.seed} ${value}`).digest("hex");
  const drawn = [...Map.groupBy(await allChanges(), ({ file, line }) => order(`${file} ${line}`))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, changes]) =>
      changes
        .toSorted((one, other) => order(one.replacement).localeCompare(order(other.replacement)))
        .slice(0, 1),
    );
  const chosen: Change[] = [];
  const isCovered = (name: string): boolean => chosen.some(({ file }) => packageOf(file) === name);
  for (const pass of ["each package", "the rest"])
    for (const change of drawn) {
      const name = packageOf(change.file);
      const isDone =
        pass === "each package"
          ? isCovered(name)
          : chosen.length >= wanted || chosen.includes(change);
      if (!isDone && (await withChange(change, compiles)) === true) chosen.push(change);
    }
  return chosen;
}

/** True if the package of the changed file still passes the type checker. */
function compiles(file: string): boolean {
  return spawnSync("pnpm", ["exec", "tsc", "-p", packageOf(file), "--noEmit"]).status === 0;
}

/** Breaks the lines one after the other and prints a row for each. */
async function report(changes: readonly Change[]): Promise<void> {
  const count = Math.min(Number(options.lines), changes.length);
  let done = 0;
  let noticed = 0;
  console.log("| line | change | noticed by |\n| --- | --- | --- |");
  for (const change of changes) {
    if (done === count) break;
    const place = await withChange(change, (file, line) =>
      compiles(file) ? { own: `${packageOf(file)}/`, line: `${file}:${String(line)}` } : undefined,
    );
    // The line no longer exists, or the change has no effect: use the next one in reserve.
    if (place === undefined) continue;
    const test = await noticingTest(change, place.own);
    done += 1;
    if (test !== undefined) noticed += 1;
    const what = `\`${change.line}\` → \`${change.replacement}\``;
    const cells = [place.line, what, test ?? "NOT NOTICED"];
    console.log(`| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`);
  }
  console.log(`\n${String(noticed)} of ${String(done)} broken lines noticed`);
  if (unreliable.size > 0)
    console.log(`left out, since they also fail without a change: ${[...unreliable].join(" ")}`);
}

/**
 * Returns the first test that fails twice with the change and passes without: of its package, else of others that import
 * the file, else of all the others, which start processes or read sources, else the check of generated files.
 */
async function noticingTest(change: Change, own: string): Promise<string | undefined> {
  const others = globSync("{packages/*,schemas,contracts,test}").filter(
    (path) => `${path}/` !== own,
  );
  for (const [left, isImporting] of [
    [others.map((path) => `${path}/**`), true],
    [[`${own}**`], true],
    [[], false],
  ] as const)
    for (;;) {
      const except = [...left, ...unreliable];
      const test = await withChange(change, (path) =>
        failingTest({ except, importing: isImporting ? path : undefined }),
      );
      if (test === undefined) break;
      const { file, title } = test;
      const again =
        file === "" ? test : await withChange(change, () => failingTest({ paths: [file] }));
      const restored = file === "" ? undefined : await failingTest({ paths: [file] });
      if (again !== undefined && restored === undefined) return `${file} ${title}`.trim();
      unreliable.add(test.file);
    }
  // `npm test` also generates the pages of commands, options and codes, and compares them.
  const isStale = await withChange(change, () => {
    return spawnSync("pnpm", ["run", "generate:check"]).status !== 0;
  });
  return isStale === true ? "generate:check" : undefined;
}
