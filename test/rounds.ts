import { seed } from "./seed.ts";

/** Rounds are added up: numbers are summed, by name too, and lists joined. */
type Count = number | readonly string[] | Readonly<Partial<Record<string, number>>>;

/** The counts and findings of a campaign. */
type Counts<Result> = { readonly [Name in keyof Result]: Count };

interface Campaign<Result> {
  readonly campaign: string;
  readonly goal: number;
  readonly unit: string;
  /** Runs one part with a separate seed. @returns The units that it has done, and its result. */
  readonly round: (seed: number) => Promise<{ readonly done: number; readonly result: Result }>;
}

/** Runs the rounds of a campaign until they reach its goal, and prints their sum after each: one that is stopped has counted. */
export async function runRounds<Result extends Counts<Result>>({
  campaign,
  goal,
  unit,
  round,
}: Campaign<Result>): Promise<Result> {
  const begun = performance.now();
  let { done, result } = await round(seed);
  const print = (): void => {
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    const counts = Object.entries<Count>({ ...result }).map(
      ([name, value]) => `${name} ${isList(value) ? value.length : JSON.stringify(value)}`,
    );
    console.log(
      `${campaign}: ${done} ${unit}, seed ${seed}, ${seconds} s: ${counts.join(", ") || "passed"}`,
    );
  };
  print();
  while (done < goal) {
    const next = await round(seed + done);
    done += next.done;
    // The cast: the sum has the members of both.
    result = sumOf({ ...result }, { ...next.result }) as Result;
    print();
  }
  return result;
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
