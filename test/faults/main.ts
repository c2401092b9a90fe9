import { parseArgs } from "node:util";
import { driftedEdits, isNoticed, readFaults } from "./provider-faults.ts";

const HELP = `Puts one realistic fault at a time into a reference service, two services at once, and checks that "verify provider" notices each.

pnpm mutate:providers [ID...]     ID: part of a fault's id; default: all faults

  --list      print the faults that go unnoticed, with the reason
  -h, --help  print this help

Exit code: 0 if every fault is noticed by the requirement that it names, 1 if not, 2 if a fault no longer fits the sources.`;

/** Services that run concurrently, each with one fault. One per core of a small machine. */
const LANES = 2;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  allowPositionals: true,
  options: {
    list: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
const faults = readFaults();
const drifted = driftedEdits(faults);
if (values.help) console.log(HELP);
else if (values.list) {
  for (const { id, missed, breaks } of faults)
    if (missed !== undefined) console.log(`${id}\n  ${breaks}\n  unnoticed: ${missed}`);
} else if (drifted.length > 0) {
  console.error(drifted.join("\n"));
  process.exitCode = 2;
} else await tryAll();

async function tryAll(): Promise<void> {
  const chosen = faults.filter(
    ({ id, fails }) =>
      fails !== undefined &&
      (positionals.length === 0 || positionals.some((part) => id.includes(part))),
  );
  const waiting = chosen.values();
  const unnoticed: string[] = [];
  const lane = async (): Promise<void> => {
    for (const fault of waiting) {
      const noticed = await isNoticed(fault);
      console.log(`${noticed ? "noticed" : "MISSED "}  ${fault.id}  ${fault.fails}`);
      if (!noticed) unnoticed.push(fault.id);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const known = faults.filter(({ missed }) => missed !== undefined).length;
  console.log(
    `${chosen.length - unnoticed.length} of ${chosen.length} noticed; ${known} more are known to go unnoticed (--list)`,
  );
  process.exitCode = unnoticed.length === 0 ? 0 : 1;
}
