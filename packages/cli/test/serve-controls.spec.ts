import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { startSandbox } from "@countersign/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { describe, expect, it } from "vitest";
import { routesOf } from "../../sandbox/test/routes/routes-of.ts";
import { start, temporaryFolder } from "./start-command.ts";

const packages = fileURLToPath(new URL("../../", import.meta.url));

/** Every variable that the sources name, and those that switch on something elsewhere. */
function everyVariable(): string[] {
  const sources = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter((name) =>
    /^[a-z-]+[\\/]src[\\/].*\.ts$/.test(name),
  );
  const named = sources.flatMap((name) => {
    return readFileSync(join(packages, name), "utf8").match(/\bCOUNTERSIGN_[A-Z_]+[A-Z]\b/g) ?? [];
  });
  const guessed = ["SANDBOX", "CLOCK", "FAULTS", "SEED", "TEST", "DEBUG"].map(
    (name) => `COUNTERSIGN_${name}`,
  );
  return [...new Set([...named, ...guessed, "SANDBOX", "DEBUG", "TEST", "CI"])];
}

/** Set to what serve can start with; `_FILE` in the place of a variable would be another way to set it. */
function environment(): Record<string, string> {
  const settings = everyVariable().filter((name) => !/_FILE$|_DATABASE_URL$/.test(name));
  expect(settings.length).toBeGreaterThan(12);
  return {
    ...Object.fromEntries(settings.map((name) => [name, "a-text-of-24-characters-or-more"])),
    NODE_ENV: "test",
    COUNTERSIGN_CLIENT_ID: "cli_merchant",
    COUNTERSIGN_EGRESS_PROXY: "http://127.0.0.1:9",
    COUNTERSIGN_SIGNING_KEYS: `whsk_${Buffer.alloc(32, 1).toString("base64")}`,
    COUNTERSIGN_ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
  };
}

/** The routes of a sandbox's controls, each as it can be called. */
async function controlRoutes(): Promise<[method: string, path: string][]> {
  const driver = sqliteDriver(join(temporaryFolder(), "sandbox.db"));
  const sandbox = await startSandbox({ driver, profile: profiles.standard, port: 0 });
  const routes = routesOf(sandbox).filter((route) => route.includes(" /sandbox/"));
  await sandbox.close({ graceMs: 0 });
  return routes.map((route) => {
    const [method = "", path = ""] = route.split(" ");
    return [method, path.replace(/:\w+/, "id_1")];
  });
}

describe("D7 countersign serve with every variable set", () => {
  it("has none of the sandbox's controls nor its page, and loads none of their modules", async () => {
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
    // The same eyes do see the sandbox's modules, which are there before it refuses to start.
    const other = start(["sandbox", "--listen", "0.0.0.0"], { folder, preload });
    const url = await one.ready();
    const granted = await fetch(new URL("/v1/tokens", url), {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: env["COUNTERSIGN_CLIENT_ID"] ?? "",
        client_secret: env["COUNTERSIGN_CLIENT_SECRET"] ?? "",
      }),
    });
    const { access_token: token } = (await granted.json()) as { access_token: string };
    const routes = await controlRoutes();
    expect(routes.length).toBeGreaterThan(20);
    for (const [method, path] of [...routes, ["GET", "/inspector/"] as const]) {
      const answer = await fetch(new URL(path, url), {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(method !== "GET" && { body: "{}" }),
      });
      expect([method, path, answer.status]).toEqual([method, path, 404]);
      await answer.body?.cancel();
    }
    expect(await one.end()).toBe(0);
    expect(one.stderr()).not.toContain("LOADED");
    expect(await other.exited).toBe(2);
    expect(other.stderr()).toContain("LOADED");
  });
});

describe("D7 the service's package", () => {
  it("names neither the sandbox's package nor its paths, in no source and no dependency", () => {
    const folder = join(packages, "service", "src");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const sources = names.filter((name) => name.endsWith(".ts"));
    expect(sources.length).toBeGreaterThan(80);
    const files = [
      ...sources.map((name) => join(folder, name)),
      join(packages, "service", "package.json"),
    ];
    const found = files.filter((file) => /\/sandbox\b/.test(readFileSync(file, "utf8")));
    expect(found).toEqual([]);
  });
});
