// Run inside npx by run.mjs: writes the paths of pnpm and Node.js to a file.
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import process from "node:process";

const path = (process.env.PATH ?? process.env.Path ?? "").split(delimiter);
// The folders that npx has added in front.
const added = path.filter(
  (folder) => /[\\/]_npx[\\/]|[\\/]node_modules[\\/]\.bin$/.test(folder) && existsSync(folder),
);
writeFileSync(
  process.env.COUNTERSIGN_ENVIRONMENT_FILE,
  JSON.stringify({ node: process.execPath, path: [dirname(process.execPath), ...added] }),
);
