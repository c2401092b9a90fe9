// pnpm matrix: shows which broken and good targets the checks judge as they must.
import { parseArgs } from "node:util";
import { providerChecks, receiverChecks, requirements } from "@countersign/contract-kit";
import { goodProviders } from "./good/providers.ts";
import { goodReceivers } from "./good/receivers.ts";
import { alarmsAt, missedOf } from "./matrix.ts";
import { providerFaults } from "./providers/faults.ts";
import { receiverFaults } from "./receivers/faults.ts";

const HELP = `pnpm matrix [--only TEXT] [--seed N]

Runs the checks against every broken and every good target whose words contain TEXT. Prints the faults that their
requirement does not catch and the alarms at good targets; exit code 1 if there is one.
`;

const { values: asked } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
const seed = Number(asked.seed);
const receiver = { checks: receiverChecks, requirements: requirements(), seed };
const provider = { checks: providerChecks, requirements: requirements(), seed, runs: 12 };
const isWanted = (text: string): boolean => text.includes(asked.only);

if (asked.help) process.stdout.write(HELP);
else {
  const receivers = receiverFaults.filter((one) => isWanted(`${one.requirement}: ${one.what}`));
  const providers = providerFaults.filter((one) => isWanted(`${one.requirement}: ${one.what}`));
  const problems = [
    ...(await missedOf(receivers, { ...receiver, atOnce: 4 })),
    ...(await missedOf(providers, { ...provider, atOnce: 3 })),
  ];
  for (const good of goodReceivers.filter(({ name }) => isWanted(name)))
    if (good.missing?.() === undefined) problems.push(...(await alarmsAt(good, receiver)));
  for (const good of goodProviders.filter(({ name }) => isWanted(name)))
    if (good.missing?.() === undefined) problems.push(...(await alarmsAt(good, provider)));
  for (const problem of problems) console.error(problem);
  console.log(`${receivers.length + providers.length} faults, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
