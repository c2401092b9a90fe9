import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { check } from "recheck";
import { expect, it } from "vitest";
import { parseAst } from "vitest/node";

/** Those that recheck finds vulnerable, each with the reason why its input is short or our own. */
const argued = new Map([
  [
    String.raw`("(?:[^"\\]|\\.)*")|\s`,
    "text that JSON.parse has accepted, in which every string ends",
  ],
  [String.raw`\?.*|(?<=^\/v1\/\w+\/)[^/?]+$`, "the path of a call that the kit has made"],
  [String.raw`\/+$`, "the end of a URL that the user gives"],
  ["=+$", "the padding of base64 that the kit has made"],
  [String.raw`([\d.]+)(ms|s|m)`, "durations that Pact's core prints"],
  [
    String.raw`#(?=#\w*\[)`,
    String.raw`\w* ends at the next #: each character is read twice at most`,
  ],
  ["[a-z](?=[^a-z]*$)", "an event that the kit has made"],
  [String.raw`(?<=:"[^"]*)[a-z]`, "an event that the kit has made"],
  ["([A-Za-z0-9]+)([,=])([A-Za-z0-9+/]{38,}={0,2})", "a header that the kit has made"],
  ["[A-Za-z0-9]+([,=])[A-Za-z0-9+/]{38,}={0,2}", "a header that the kit has made"],
  ["[A-Za-z0-9+/]{38,}={0,2}", "a header that the kit has made"],
  [String.raw`&nbsp;at .+:\d+:\d+`, "a line of an answer, cut at 400 characters"],
  [String.raw`File ".+", line \d+`, "a line of an answer, cut at 400 characters"],
  [
    String.raw`\b(?:Warning|Notice|Deprecated|Fatal error)\b.{0,200}\bon line\b`,
    "a line of an answer, cut at 400 characters",
  ],
  [String.raw`(?<=^\S.*)\n(?=\S)(?!Usage:|Examples:|Environment)`, "the command's own help"],
  [String.raw`^\s*\S+(?:[ ,]\S+)*\s{2,}`, "the command's own help"],
  [String.raw`\s*\S+`, "the command's own help"],
  [String.raw`\s*(?:"[^"]*"?|[^\s"])+`, "the command's own help"],
]);

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Every regular expression of the shipped code and of the schemas, as `SOURCE/FLAGS`, with the files that have it. */
function expressions(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (source: string, flags: string, file: string): void => {
    const key = `${source}/${flags}`;
    found.set(key, [...(found.get(key) ?? []), file]);
  };
  const sources = globSync("{packages/*,schemas,examples/*}/src/**/*.{ts,tsx}", { cwd: root });
  // These read only what this repository writes: its sources, and generated types.
  const own = /^packages[\\/](?:dev|cli[\\/]src[\\/]types)[\\/]/;
  for (const file of sources.filter((one) => !own.test(one))) {
    const code = readFileSync(`${root}/${file}`, "utf8");
    const lang = file.endsWith("x") ? "tsx" : "ts";
    eachNode(parseAst(code, { lang }), (node) => {
      const { regex } = node as { regex?: { pattern: string; flags: string } };
      if (regex !== undefined) add(regex.pattern, regex.flags, file);
    });
  }
  for (const file of globSync("{schemas,contracts,packages/*/schemas}/**/*.schema.json", {
    cwd: root,
  }))
    if (!file.includes("node_modules"))
      eachNode(JSON.parse(readFileSync(`${root}/${file}`, "utf8")), (node) => {
        const { pattern } = node as { pattern?: unknown };
        if (typeof pattern === "string") add(pattern, "u", file);
      });
  return found;
}

function eachNode(value: unknown, visit: (node: object) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) visit(value);
  for (const one of Object.values(value)) eachNode(one, visit);
}

it("A23: no regular expression of the code or of a schema backtracks for longer than its input", async () => {
  const all = expressions();
  expect(all.size).toBeGreaterThan(100);
  const vulnerable: string[] = [];
  for (const [key, files] of all) {
    const at = key.lastIndexOf("/");
    if (argued.has(key.slice(0, at))) continue;
    // oxlint-disable-next-line no-await-in-loop -- one at a time, since each takes a core
    const result = await check(key.slice(0, at), key.slice(at + 1), { timeout: 5000 });
    // "unknown" is a search that ran out of time.
    if (result.status === "vulnerable") vulnerable.push(`/${key} in ${files.join(", ")}`);
  }
  expect(vulnerable).toEqual([]);
}, 600_000);
