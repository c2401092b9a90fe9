import { levels, requirements } from "@countersign/contract-kit";
import { didYouMean } from "../closest.ts";
import { Failure } from "../failure.ts";
import { printableJson } from "../printable.ts";
import type { Surroundings } from "../terminal.ts";

export interface RequirementsCommand {
  readonly ids: readonly string[];
  readonly role: string | undefined;
  readonly level: string | undefined;
  readonly json: boolean;
}

/** `countersign requirements`: what a provider and a receiver owe, a line each. */
export function runRequirements(
  { ids, role, level, json }: RequirementsCommand,
  { terminal }: Pick<Surroundings, "terminal">,
): void {
  if (role !== undefined && role !== "provider" && role !== "receiver")
    throw unusable("--role is provider or receiver");
  if (level !== undefined && levels.every((one) => one !== level))
    throw unusable(
      `invalid --level ${JSON.stringify(level)}: expected one of ${levels.join(", ")}`,
    );
  const all = requirements(role);
  const unknown = ids.find((id) => all.every((one) => one.id !== id));
  if (unknown !== undefined)
    throw unusable(
      `there is no requirement ${JSON.stringify(unknown)}${
        didYouMean(
          unknown,
          all.map(({ id }) => id),
        ) || "; see countersign requirements"
      }`,
    );
  const wanted = all.filter(
    (one) =>
      (ids.length === 0 || ids.includes(one.id)) && (level === undefined || one.level === level),
  );
  if (json) {
    terminal.out(printableJson({ requirements: wanted }));
    return;
  }
  const width = Math.max(0, ...wanted.map(({ id }) => id.length));
  for (const one of wanted) {
    terminal.out(`${one.id.padEnd(width)}  ${one.level.padEnd(23)}  ${one.sentence}`);
    if (ids.length === 0) continue;
    terminal.out(`  why      ${one.why}`);
    terminal.out(`  fix      ${one.fix}`);
    terminal.out(`  source   ${one.source}`);
    if (one.profile !== undefined) terminal.out(`  profile  ${one.profile}`);
    terminal.out(`  checks   ${one.checks.length > 0 ? one.checks.join(", ") : "none"}`);
  }
}

function unusable(message: string): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message);
}
