import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openSandbox } from "../../sandbox/test/open-sandbox.ts";
import { routesOf } from "../../sandbox/test/routes.ts";
import { call, tokenOf } from "./admin/administered.ts";
import { keys } from "./fixtures.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));
const read = (name: string): string => readFileSync(join(packages, name), "utf8");

/** Every variable that the sources name, and some that switch on something elsewhere, set to what serve accepts. */
function environment(): Record<string, string> {
  const sources = globSync("*/src/**/*.ts", { cwd: packages });
  const named = sources.flatMap((name) => read(name).match(/\bCOUNTERSIGN_[A-Z_]+[A-Z]\b/g) ?? []);
  const guessed = ["SANDBOX", "CLOCK", "FAULTS", "SEED", "TEST", "DEBUG"];
  // `_FILE` would be a second way to set a variable.
  const settings = new Set(named.filter((name) => !/_FILE$|_DATABASE_URL$/.test(name)));
  expect(settings.size).toBeGreaterThan(8);
  const all = [...settings, ...guessed, ...guessed.map((name) => `COUNTERSIGN_${name}`), "CI"];
  return {
    ...Object.fromEntries(all.map((name) => [name, "a-text-of-24-characters-or-more"])),
    NODE_ENV: "test",
    ...keys,
    COUNTERSIGN_EGRESS_PROXY: "http://127.0.0.1:9",
    COUNTERSIGN_SIGNING_KEYS: `whsk_${Buffer.alloc(32, 1).toString("base64")}`,
  };
}

describe("D7 countersign serve with every variable set", () => {
  it("serves no control and no page of the sandbox, and loads none of their modules", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "preload.mjs");
    writeFileSync(
      file,
      `import { registerHooks } from "node:module";
       registerHooks({ load: (url, context, next) => {
         if (/(sandbox|inspector)\\//.test(url)) process.stderr.write("LOADED " + url + "\\n");
         return next(url, context);
       } });`,
    );
    const env = environment();
    const preload = pathToFileURL(file).href;
    const one = start(["serve", "--port", "0"], { folder, env, preload });
    // The hook does see the sandbox's modules, which load before it refuses to start.
    const other = start(["sandbox", "--listen", "0.0.0.0"], { folder, preload });
    const { sandbox } = await openSandbox();
    const routes = routesOf(sandbox).filter((route) => route.includes(" /sandbox/"));
    expect(routes.length).toBeGreaterThan(20);
    const url = await one.ready();
    const token = await tokenOf(
      { url, stderr: one.stderr },
      join(folder, ".countersign/service.db"),
    );
    for (const route of [...routes, "GET /inspector/"]) {
      const [method = "", path = ""] = route.split(" ");
      const json = method === "GET" ? undefined : {};
      const { status } = await call(url, token, path.replace(/:\w+/, "id_1"), json, method);
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect(await one.end()).toBe(0);
    expect(one.stderr()).not.toContain("LOADED");
    expect(await other.exited).toBe(2);
    expect(other.stderr()).toContain("LOADED");
  });
});

describe("D7 the service's package", () => {
  it("names neither the sandbox's package nor its paths in any source or dependency", () => {
    const sources = globSync("service/src/**/*.ts", { cwd: packages });
    expect(sources.length).toBeGreaterThan(40);
    const files = [...sources, "service/package.json"];
    expect(files.filter((name) => /\/sandbox\b/.test(read(name)))).toEqual([]);
  });
});
