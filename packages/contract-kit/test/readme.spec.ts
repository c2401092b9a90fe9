import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { providerChecks } from "../src/checks.ts";
import { receiverChecks } from "../src/receiver/receiver-checks.ts";
import { openTarget, TOKEN } from "./provider/open-target.ts";

const home = fileURLToPath(new URL("../", import.meta.url));
const readme = readFileSync(`${home}README.md`, "utf8");
const [verify = "", derive = ""] = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(
  ([, code]) => code ?? "",
);

interface Ran {
  readonly status: number;
  readonly out: string;
}

/** Runs a program of the README as it stands, beside the package, in a process of its own. */
function ran(code: string, args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const node = ["--disable-warning=ExperimentalWarning", "--conditions=@countersign/source"];
  // Where a file has its name among the arguments, a text has none.
  const all = [...node, "--input-type=module", "--eval", code, "--", "verify.mjs", ...args];
  return new Promise((resolve) => {
    // What has been made of the sources; no other variable of this process.
    const { NODE_COMPILE_CACHE } = process.env;
    const options = { cwd: home, env: { NODE_COMPILE_CACHE, ...env } };
    const child = execFile(process.execPath, all, options, (_error, out, err) => {
      resolve({ status: child.exitCode ?? -1, out: out + err });
    });
  });
}

describe("the README's program", () => {
  it("verifies a service, by the checks that it is given", async () => {
    const { url } = await openTarget();
    const args = ["provider/common-headers"];
    const { status, out } = await ran(verify, args, { PROVIDER_URL: url, TOKEN });
    expect({ status, out }).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^pass P-AUTH-BEARER/) as unknown,
    });
  });

  it("derives values, and leaves no keyword uncovered", async () => {
    const { status, out } = await ran(derive, [], {});
    expect(status).toBe(0);
    expect(out).toContain("/value minimum { currency: 'USD', value: 0 }");
    expect(out.trimEnd()).toMatch(/\n\[\]$/);
  });
});

describe("the README's tables of checks", () => {
  it.each([
    ["provider", providerChecks],
    ["receiver", receiverChecks],
  ] as const)("have each check of a %s with what it does, and no other", (role, checks) => {
    const rows = [...readme.matchAll(/^\| `([a-z]+\/[a-z-]+)` +\| (.*?) +\|/gm)];
    const own = rows.filter(([, id]) => id?.startsWith(`${role}/`));
    expect(own.map(([, id, title]) => [id, title])).toEqual(
      checks.map(({ id, title }) => [id, title]),
    );
  });
});
