import {
  levels,
  requirements,
  roles,
  type Level,
  type Requirement,
} from "@countersign/contract-kit";
import { referencePage } from "@countersign/schemas";
import type { Command } from "commander";
import { choice, didYouMean } from "../options.ts";
import { badArgument } from "../failure.ts";
import { printableJson } from "../printable.ts";
import type { Surroundings, Terminal } from "../terminal.ts";

const help = `
Prints one line per requirement. With ids, also the reason, fix, source, profile member, required profile
part, page and checks.

Examples:
  countersign requirements --role receiver
  countersign requirements R-VERIFY-RAW P-AUTH-BEARER
  countersign requirements --level exploitable --json`;

interface RequirementsOptions {
  readonly role: Requirement["role"] | undefined;
  readonly level: Level | undefined;
  readonly json: boolean | undefined;
}

/** `countersign requirements`. */
export function declareRequirements(command: Command, { terminal }: Surroundings): void {
  const ids = command.createArgument("[id...]", "print only these, with their reasons");
  command
    .addArgument(ids)
    // The ids are for completion: help would list all of them.
    .configureHelp({ argumentDescription: ({ description }) => description })
    .addOption(choice("--role <role>", "role (default: all)", roles))
    .addOption(choice("--level <level>", "level (default: all)", levels))
    .option("--json", "print one JSON object instead of lines")
    .addHelpText("after", help)
    .action((given: readonly string[], options: RequirementsOptions) =>
      printRequirements(given, options, terminal),
    );
  ids.argChoices = requirements().map(({ id }) => id);
}

function printRequirements(
  ids: readonly string[],
  { role, level, json }: RequirementsOptions,
  terminal: Terminal,
): void {
  const all = requirements(role);
  const unknown = ids.find((id) => all.every((one) => one.id !== id));
  if (unknown !== undefined)
    throw badArgument(
      `unknown requirement ${JSON.stringify(unknown)}${
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
  if (json === true) {
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
    if (one.needs !== undefined) terminal.out(`  needs    ${one.needs}`);
    if (one.profile !== undefined) terminal.out(`  profile  ${one.profile}`);
    terminal.out(`  page     ${referencePage("requirements", one.id)}`);
    terminal.out(`  checks   ${one.checks.length > 0 ? one.checks.join(", ") : "none"}`);
  }
}
