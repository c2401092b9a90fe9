import type { Profile } from "@countersign/schemas/profiles";
import { explain, type Explanation } from "@countersign/signatures/explain";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import { loadProfile } from "../load-profile.ts";
import { printable, printableJson } from "../printable.ts";
import { readRequest } from "../recorded-request.ts";
import type { Surroundings } from "../terminal.ts";

export interface ExplainCommand {
  readonly file: string;
  readonly profile: string;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly entry: number | undefined;
  readonly json: boolean;
}

/**
 * Runs `countersign explain`: says why a receiver refuses a recorded attempt.
 *
 * @returns True if the attempt verifies.
 */
export async function runExplain(
  { file, profile: name, at, entry, json }: ExplainCommand,
  surroundings: Surroundings,
): Promise<boolean> {
  const { terminal, env } = surroundings;
  const { signature } = await loadProfile(name);
  const request = await readRequest(file, { entry, signature: signatureHeader(signature) });
  const secret = await secretFor(surroundings);
  const other = await secretFrom(env, "COUNTERSIGN_OTHER_SECRET");
  const explanations = request.bodies.map((body) =>
    explain({ headers: request.headers, body }, [secret], {
      scheme: signature,
      now: at ?? request.at ?? Date.now(),
      toleranceSeconds: signature.toleranceSeconds,
      ...(other === undefined ? {} : { otherSecrets: { COUNTERSIGN_OTHER_SECRET: other } }),
    }),
  );
  const found = (explanations.find((causes) => causes.length === 0) ?? explanations[0] ?? []).map(
    (one): Explanation => ({
      ...one,
      sentence: one.sentence.replaceAll("secrets[0]", "COUNTERSIGN_SECRET"),
    }),
  );
  if (json) terminal.out(printableJson({ verified: found.length === 0, explanations: found }));
  else for (const line of linesOf(found)) terminal.out(printable(line));
  return found.length === 0;
}

function linesOf(found: readonly Explanation[]): readonly string[] {
  if (found.length === 0) return ["The attempt verifies: signature, body and timestamp are right."];
  return found.flatMap(({ cause, certain, sentence, fix }) => [
    `${certain ? "" : "probably "}${cause}: ${sentence}`,
    `  ${fix}`,
  ]);
}

function signatureHeader(signature: Profile["signature"]): string {
  return signature.scheme === "hmac"
    ? signature.description.headers.signature
    : "webhook-signature";
}

async function secretFor({ env, askSecret }: Surroundings): Promise<string> {
  const secret = (await secretFrom(env, "COUNTERSIGN_SECRET")) ?? (await askSecret("Secret: "));
  if (secret !== undefined && secret !== "") return secret;
  throw new Failure(
    "CS_CLI_SECRET_UNUSABLE",
    "missing secret of the receiver: set COUNTERSIGN_SECRET or COUNTERSIGN_SECRET_FILE",
  );
}
