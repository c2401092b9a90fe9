import { levels, requirements, roles } from "@countersign/contract-kit";
import { referencePage } from "@countersign/schemas";
import { define } from "../command.ts";
import { badArgument, didYouMean } from "../failure.ts";
import * as option from "../options.ts";

const help = `
Prints one line per requirement. With ids, also the reason, fix, source, profile member, required profile
part, page and checks.

Examples:
  countersign requirements --role receiver
  countersign requirements R-VERIFY-RAW P-AUTH-BEARER
  countersign requirements --level exploitable --json`;

export const definition = define({
  args: { "[id...]": "print only these, with their reasons" },
  options: {
    role: option.choice("<role>", "role (default: all)", roles),
    level: option.choice("<level>", "level (default: all)", levels),
    json: option.json,
  },
  help,
  run: ({ role, level, json }, { terminal }, { args: ids }) => {
    const all = requirements(role);
    const known = all.map(({ id }) => id);
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown !== undefined)
      throw badArgument(
        `unknown requirement ${JSON.stringify(unknown)}${didYouMean(unknown, known) || "; see countersign requirements"}`,
      );
    const wanted = all.filter(
      (one) =>
        (ids.length === 0 || ids.includes(one.id)) && (level === undefined || one.level === level),
    );
    if (json === true) return terminal.json({ requirements: wanted });
    const width = Math.max(0, ...wanted.map(({ id }) => id.length));
    for (const one of wanted) {
      terminal.out(`${one.id.padEnd(width)}  ${one.level.padEnd(23)}  ${one.sentence}`);
      if (ids.length === 0) continue;
      const { why, fix, source, profile, checks } = one;
      const page = referencePage("requirements", one.id);
      const rows = { why, fix, source, profile, page, checks: checks.join(", ") || "none" };
      for (const [label, value] of Object.entries(rows))
        if (value !== undefined) terminal.out(`  ${label.padEnd(7)}  ${value}`);
    }
  },
});
