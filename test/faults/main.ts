import { parseArgs } from "node:util";
import { driftedEdits, readFaults, verdictOn } from "./provider-faults.ts";

const HELP = `Puts one realistic fault at a time into a reference service, two services at once, and checks that "verify provider" notices each.

pnpm mutate:providers [ID...]     ID: part of a fault's id; default: all faults

  --list      print the faults that go unnoticed, with the reason
  -h, --help  print this help

Each fault is noticed if the requirement that it names fails, missed if it passes, and broke if a check or the service ended with an error.

Exit code: 0 if every fault is noticed, 1 if not, 2 if a fault no longer fits the sources.`;

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
  const counts = { noticed: 0, missed: 0, broke: 0 };
  const lane = async (): Promise<void> => {
    for (const fault of waiting) {
      const verdict = await verdictOn(fault).catch((error: unknown) => {
        console.error(String(error));
        return "broke" as const;
      });
      console.log(`${verdict.padEnd(7)}  ${fault.id}  ${fault.fails}`);
      counts[verdict] += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const known = faults.filter(({ missed }) => missed !== undefined).length;
  console.log(
    `${counts.noticed} of ${chosen.length} noticed, ${counts.missed} missed, ${counts.broke} broke; ${known} more are known to go unnoticed (--list)`,
  );
  process.exitCode = counts.noticed === chosen.length ? 0 : 1;
}
