import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";

// Processes that tests start read the sources' types away once, not at each start. Workers do without: to write the
// cache of all that they load costs more than it saves. An existing cache, or none
// (`NODE_DISABLE_COMPILE_CACHE=1`), stays as it is.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(
  new URL("../node_modules/.cache/countersign/node", import.meta.url),
);

declare module "vitest" {
  interface TaskMeta {
    /** CPU time of this file's worker, and of the processes that it has started and that have ended. */
    cpuMs?: number;
  }
}

// Runs before each file: with shared workers, the difference is the file's own.
const before = cpuMs();

// oxlint-disable-next-line no-empty-pattern -- vitest accepts nothing else before the file
afterAll(({}, file) => {
  file.meta.cpuMs = cpuMs() - before;
});

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

/** CPU time of ended child processes, which Node.js does not report; 0 if there is no /proc. */
function childrenMs(): number {
  if (process.platform !== "linux") return 0;
  // cutime and cstime, in ticks of 10 ms; the fields are counted after the name in parentheses.
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[13]) + Number(fields[14])) * 10;
}
