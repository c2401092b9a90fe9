import { Failure } from "../failure.ts";
import { didYouMean } from "../closest.ts";
import type { VerifyOptions } from "./verify-options.ts";

/**
 * Holds `--only` and `--skip` to ids that there are: a mistyped one would leave out what was meant, in
 * silence.
 *
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`, with the id that may be meant.
 */
export function requireKnownIds(
  { only = [], skip = {} }: Pick<VerifyOptions, "only" | "skip">,
  known: readonly string[],
): void {
  for (const [option, ids] of [
    ["--only", only],
    ["--skip", Object.keys(skip)],
  ] as const)
    for (const id of ids) {
      if (known.includes(id)) continue;
      const hint = didYouMean(id, known) || "; see --list";
      throw new Failure(
        "CS_CLI_ARGUMENT_UNUSABLE",
        `${option}: nothing here is called ${JSON.stringify(id)}${hint}`,
      );
    }
}
