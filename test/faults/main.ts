import { driftedEdits, providerFaults, verdictOnProvider } from "./faults.ts";

const HELP = `pnpm mutate:providers [ID...]

Puts one realistic fault at a time into a reference service, two services at once, and checks that the requirement
that the fault names fails. ID is part of a fault's id; default: all faults.

Exit code: 0 if every fault is noticed, 1 if not, 2 if a fault no longer fits the sources.`;

/** Services that run concurrently, each with one fault. One per core of a small machine. */
const LANES = 2;

const parts = process.argv.slice(2).filter((argument) => argument !== "--");
if (parts.includes("--help")) console.log(HELP);
else if (driftedEdits.length > 0) {
  console.error(driftedEdits.join("\n"));
  process.exitCode = 2;
} else await tryAll();

async function tryAll(): Promise<void> {
  const chosen = providerFaults.filter(
    ({ id, fails }) =>
      fails !== undefined && (parts.length === 0 || parts.some((part) => id.includes(part))),
  );
  const waiting = chosen.values();
  let noticed = 0;
  const lane = async (): Promise<void> => {
    for (const fault of waiting) {
      const verdict = await verdictOnProvider(fault).catch(String);
      console.log(`${verdict.padEnd(7)}  ${fault.id}  ${fault.fails}`);
      if (verdict === "noticed") noticed += 1;
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  console.log(`${noticed} of ${chosen.length} noticed`);
  process.exitCode = noticed === chosen.length ? 0 : 1;
}
