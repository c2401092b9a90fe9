// Runs the long tests. Vitest has no option for the seed of the tests' own random choices.
import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { startVitest } from "vitest/node";

const HELP = `Runs the long tests (*.slow.ts), and prints a result line for each campaign.

npm run test:long -- [options] [PATH...]     PATH: part of a file's path; default: all files

  --seed N      seed for everything random, an integer from 0 to 2147483647 (default: a random one, printed)
  -h, --help    print this help`;

const { values, positionals } = parseArgs({
  // pnpm passes the separator on, npm does not.
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  allowPositionals: true,
  options: {
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    help: { type: "boolean", short: "h", default: false },
  },
});
const { seed } = values;
if (values.help) console.log(HELP);
else if (!/^\d{1,10}$/.test(seed) || Number(seed) >= 2 ** 31) {
  console.error(`invalid --seed ${JSON.stringify(seed)}: expected an integer from 0 to 2147483647`);
  process.exitCode = 2;
} else {
  // `npm test` does not install the programs of test/long.
  if (!existsSync(new URL("long/node_modules", import.meta.url)))
    execFileSync("pnpm", ["install", "--frozen-lockfile", "--filter", "./test/long"], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
  console.log(`seed ${seed}`);
  process.env["COUNTERSIGN_SEED"] = seed;
  const vitest = await startVitest("test", positionals, { config: "test/vitest.slow.config.ts" });
  await vitest.close();
}
