// Tells run.mjs, from inside npx, where pnpm and Node.js are.
import { writeFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import process from "node:process";

const path = (process.env.PATH ?? process.env.Path ?? "").split(delimiter);
// The folders that npx has put in front.
const added = path.filter((folder) => /[\\/]_npx[\\/]|[\\/]node_modules[\\/]\.bin$/.test(folder));
writeFileSync(
  process.env.COUNTERSIGN_ENVIRONMENT_FILE,
  JSON.stringify({ node: process.execPath, path: [dirname(process.execPath), ...added] }),
);
