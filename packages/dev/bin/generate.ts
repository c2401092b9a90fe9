// Runs packages/dev/src/generate/main.ts with the sources of the packages that it imports by name, which need no build.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../src/generate/main.ts", import.meta.url));
const flags = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
const { status } = spawnSync(process.execPath, [...flags, main, ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
