import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { seed as runSeed } from "./seed.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** Committed: `docs/evidence.md` is generated from its files. */
const FOLDER = `${ROOT}docs/evidence/`;

/** Sources of a receiver, and of the service. */
const LIBRARIES = ["packages/signatures/src", "packages/rules/src"];
export const RECEIVER: readonly string[] = ["packages/receiver/src", ...LIBRARIES];
export const SERVICE: readonly string[] = [
  "packages/service/src",
  // Documents that it serves and that no campaign reads: their descriptions change often.
  ":(exclude)packages/service/src/documents/generated",
  "packages/service/migrations",
  ...LIBRARIES,
];

/** Rounds are added up: numbers are summed, by name too, and lists joined. */
type Count = number | readonly string[] | Readonly<Partial<Record<string, number>>>;

/** The counts and findings of a campaign. */
type Counts<Result> = { readonly [Name in keyof Result]: Count };

/** The result of a campaign so far, as `docs/evidence/CAMPAIGN.json` has it. */
export interface Evidence<Result> {
  readonly campaign: string;
  /** Repeats the campaign in a clone of the repository. */
  readonly command: string;
  /** The commit of the first round, with `-dirty` if the measured files had uncommitted changes. */
  readonly commit: string;
  /** Files and folders. A change of one makes the result invalid. */
  readonly measures: readonly string[];
  readonly length: { readonly done: number; readonly goal: number; readonly unit: string };
  readonly seed: number;
  /** When the first round began, as an ISO 8601 time in UTC. */
  readonly startedAt: string;
  /** Time that all rounds took, in seconds. */
  readonly seconds: number;
  readonly result: Result;
}

export interface LongCampaign<Result> {
  /** Name of the file: lower case, with hyphens. */
  readonly campaign: string;
  /** Repeats the campaign. Default: the long lane with `file`, a test file from the root of the repository. */
  readonly command?: string;
  readonly file?: string;
  readonly measures: readonly string[];
  /** Default: the run's. */
  readonly seed?: number;
  readonly goal: number;
  readonly unit: string;
  /** Runs one part with a separate seed. @returns The units that it has done, and its result. */
  readonly round: (seed: number) => Promise<{ readonly done: number; readonly result: Result }>;
}

/**
 * Runs the rounds of a campaign and records each. A later call resumes with the same seed if what the campaign measures
 * has not changed since; a complete campaign is not repeated, except by `npm run test:long -- --restart`.
 */
export async function runRounds<Result extends Counts<Result>>(
  campaign: LongCampaign<Result>,
): Promise<Evidence<Result>> {
  const { file = "", measures, goal, unit, round } = campaign;
  const path = `${FOLDER}${campaign.campaign}.json`;
  const before = readEvidence<Result>(path);
  const isValid =
    process.env["COUNTERSIGN_RESTART"] === undefined &&
    before?.length.goal === goal &&
    isUnchanged(before.commit, measures);
  let evidence = isValid ? before : undefined;
  const { seed, startedAt } = evidence ?? { seed: runSeed, ...campaign, startedAt: wallTime() };
  const commit = evidence?.commit ?? currentCommit(measures);
  console.log(
    `${campaign.campaign}: seed ${String(seed)}, ${String(evidence?.length.done ?? 0)} of ${String(goal)} ${unit} done`,
  );
  while (evidence === undefined || evidence.length.done < goal) {
    const begun = performance.now();
    const already: number = evidence?.length.done ?? 0;
    const { done, result } = await round(seed + already);
    evidence = {
      campaign: campaign.campaign,
      command: campaign.command ?? `npm run test:long -- ${file} --seed ${String(seed)}`,
      commit,
      measures,
      length: { done: already + done, goal, unit },
      seed,
      startedAt,
      seconds: Math.round((evidence?.seconds ?? 0) + (performance.now() - begun) / 1000),
      // The cast: the sum has the members of both.
      result:
        evidence === undefined ? result : (sumOf({ ...evidence.result }, { ...result }) as Result),
    };
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, `${JSON.stringify(evidence, undefined, 2)}\n`);
  }
  return evidence;
}

/** The real time, also in a test that has replaced `Date.now`. */
const wallTime = (): string => new Date(performance.timeOrigin + performance.now()).toISOString();

/** True if the files are as the commit has them. False for an unknown commit. */
function isUnchanged(commit: string, measures: readonly string[]): boolean {
  const args = ["diff", "--quiet", commit, "--", ...measures];
  return spawnSync("git", args, { cwd: ROOT }).status === 0;
}

function currentCommit(measures: readonly string[]): string {
  const head = execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim();
  return isUnchanged(head, measures) ? head : `${head}-dirty`;
}

function readEvidence<Result>(path: string): Evidence<Result> | undefined {
  if (!existsSync(path)) return undefined;
  // Only this module writes here.
  return JSON.parse(readFileSync(path, "utf8")) as Evidence<Result>;
}

function sumOf(
  one: Readonly<Record<string, Count>>,
  other: Readonly<Record<string, Count>>,
): Readonly<Record<string, Count>> {
  const sum = { ...one };
  for (const [name, value] of Object.entries(other)) sum[name] = sumOfTwo(sum[name], value);
  return sum;
}

function sumOfTwo(one: Count | undefined, other: Count): Count {
  if (typeof other === "number") return (typeof one === "number" ? one : 0) + other;
  if (isList(other)) return [...(isList(one) ? one : []), ...other];
  const sum = typeof one === "object" && !isList(one) ? { ...one } : {};
  for (const [name, value] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + (value ?? 0);
  return sum;
}

const isList = (value: Count | undefined): value is readonly string[] => Array.isArray(value);
