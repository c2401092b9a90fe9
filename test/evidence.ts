import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("output/evidence/", import.meta.url));

/** Rounds are added up: numbers are summed, by name too, and lists joined. */
type Count = number | readonly string[] | Readonly<Partial<Record<string, number>>>;

/** The counts and findings of a campaign. */
type Counts<Result> = { readonly [Name in keyof Result]: Count };

/** The result of a campaign so far, as `test/output/evidence/CAMPAIGN.json` has it. */
export interface Evidence<Result> {
  readonly campaign: string;
  /** Repeats the campaign in a clone of the repository. */
  readonly command: string;
  /** With `-dirty` if files were changed. */
  readonly commit: string;
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
  /** The test file, from the root of the repository. */
  readonly file: string;
  readonly seed: number;
  readonly goal: number;
  readonly unit: string;
  /** Runs one part with a separate seed. @returns The units that it has done, and its result. */
  readonly round: (seed: number) => Promise<{ readonly done: number; readonly result: Result }>;
}

/**
 * Runs the rounds of a campaign and records each. One that was stopped goes on where it stopped, with its own seed,
 * if no commit and no change came in between.
 */
export async function runRounds<Result extends Counts<Result>>(
  campaign: LongCampaign<Result>,
): Promise<Evidence<Result>> {
  const { file, goal, unit, round } = campaign;
  const path = `${FOLDER}${campaign.campaign}.json`;
  const commit = execFileSync(
    "git",
    ["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"],
    {
      encoding: "utf8",
    },
  ).trim();
  const before = readEvidence<Result>(path);
  const isSame =
    before?.commit === commit && before.length.goal === goal && !commit.endsWith("-dirty");
  let evidence = isSame && before.length.done < goal ? before : undefined;
  const { seed, startedAt } = evidence ?? { ...campaign, startedAt: new Date().toISOString() };
  console.log(
    `${campaign.campaign}: seed ${String(seed)}, ${String(evidence?.length.done ?? 0)} of ${String(goal)} ${unit} done`,
  );
  while (evidence === undefined || evidence.length.done < goal) {
    const begun = performance.now();
    const already: number = evidence?.length.done ?? 0;
    const { done, result } = await round(seed + already);
    evidence = {
      campaign: campaign.campaign,
      command: `npm run test:long -- ${file} --seed ${String(seed)}`,
      commit,
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

function readEvidence<Result>(path: string): Evidence<Result> | undefined {
  // Only this module writes here.
  return existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Evidence<Result>)
    : undefined;
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
