import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { verify } from "@octokit/webhooks-methods";
import { failuresIn } from "@countersign/contract-kit/report";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { listen } from "../../service/test/sandbox/listen.ts";
import { knownLocale } from "./fixtures.ts";
import { ran } from "./ran.ts";

const home = fileURLToPath(new URL("../../../docs/ci/", import.meta.url));
const read = (path: string): string => readFileSync(join(home, path), "utf8");

/** Every text below a value of YAML, with the names that lead to it. */
function texts(value: unknown, path: readonly string[] = []): (readonly [string, string])[] {
  if (typeof value === "string") return [[path.join("/"), value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => texts(one, [...path, name]));
}

describe.each(["merchant", "provider"])("the CI examples for a %s", (folder) => {
  it.each([".github/workflows/countersign.yml", ".gitlab-ci.yml"])(
    "%s has valid scripts, commands that parse, files that exist and pinned actions",
    async (file) => {
      const all = texts(parse(read(join(folder, file))));
      // `run` of GitHub's steps, the scripts of GitLab's jobs.
      const scripts = all.filter(([name]) => /\/run$|script\/\d+$/.test(name));
      expect(scripts.length).toBeGreaterThan(2);
      // Values inserted by the server are not checked. One shell reads all scripts.
      const input = scripts.map(([, text]) => text.replaceAll(/\$\{\{.*?\}\}/g, "x")).join("\n");
      const { status, stderr } = spawnSync("bash", ["-n"], {
        input,
        encoding: "utf8",
        env: knownLocale,
      });
      expect([status, stderr]).toEqual([0, ""]);

      const commands = scripts
        .map(([, text]) => text.replaceAll(/\\\n\s*/g, " "))
        .flatMap((text) => text.match(/(?<=npx --no-install countersign ).*/g) ?? [])
        .map((text) => text.trim().split(/\s+/));
      expect(commands.length).toBeGreaterThan(0);
      for (const words of commands) {
        expect(words.join(" ")).not.toMatch(/\$|secret|token/i);
        if (words[0] !== "verify") continue;
        expect(await ran([...words, "--list"])).toMatchObject({ status: 0, err: "" });
      }
      const named = commands.flatMap((words) =>
        words.filter((_word, index) => /^--baseline$/.test(words[index - 1] ?? "")),
      );
      expect(named.length).toBeGreaterThan(0);
      expect(named.filter((one) => !existsSync(join(home, folder, one)))).toEqual([]);

      const used = all.filter(([name]) => /\/(uses|image)$/.test(name));
      expect(used.length).toBeGreaterThan(0);
      for (const [, text] of used) expect(text).toMatch(/^[a-z/-]+@[0-9a-f]{40}$|^node:24-\w+$/);
    },
  );

  it("pin this version of the command and start with an empty baseline", () => {
    const own = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    const { version, engines } = JSON.parse(own) as { version: string; engines: object };
    expect(JSON.parse(read(`${folder}/package.json`))).toMatchObject({
      devDependencies: { countersign: version },
      engines,
    });
    const baseline = failuresIn(JSON.parse(read(`${folder}/countersign-baseline.json`)));
    expect(baseline.size).toBe(0);
  });
});

it(
  "the workflow of a new repository is at most ten lines, and passes a receiver of GitHub's library",
  { tags: "ci", timeout: 180_000 },
  async () => {
    const text = read("new-repository/.github/workflows/webhooks.yml");
    expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    const script = texts(parse(text)).find(([name]) => name.endsWith("/run"))?.[1] ?? "";
    expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" }).stderr).toBe("");
    const [, webhookSecret = "", secret = ""] =
      /GITHUB_WEBHOOK_SECRET=(\S+) COUNTERSIGN_SECRET=(\S+)/.exec(script) ?? [];
    const command = script.trimEnd().split("\n").at(-1) ?? "";
    const words = command.replace(/^npx --yes countersign@[0-9.]+ /, "").split(" ");
    const origin = await listen((request, response) => {
      const verified = async (body: Buffer): Promise<void> => {
        const signature = String(request.headers["x-hub-signature-256"] ?? "");
        const isGenuine =
          request.method === "POST" &&
          signature !== "" &&
          (await verify(webhookSecret, body.toString(), signature).catch(() => false));
        response.writeHead(isGenuine ? 200 : 400).end();
      };
      // A stranger may end the connection in the middle of a body.
      buffer(request).then(verified, () => undefined);
    });
    const own = words.map((word) => word.replace("http://localhost:3000", origin));
    const { status, out } = await ran(own, { COUNTERSIGN_SECRET: secret });
    expect(out).toMatch(/tier: no effects/);
    expect(out).toMatch(/^n\/a: GitHub signs no time\n +R-VERIFY-STALE/m);
    expect(status).toBe(0);
  },
);
