import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { describePostgres } from "../../receiver/test/inboxes/describe-postgres.ts";
import { openSandbox } from "../../service/test/sandbox/open-sandbox.ts";
import { routesOf } from "../../service/test/sandbox/routes.ts";
import { call, newClient, tokenOf } from "./service-data.ts";
import { failedWith, keys, READY } from "./fixtures.ts";
import { ran, serveHere, type Served } from "./ran.ts";
import { start } from "./start-command.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const newDatabase = (): string => join(temporaryFolder(), "service.db");
const argsOf = (database = newDatabase()) => ["serve", "--port", "0", "--database", database];

/** Serves a database that has a client. @returns Also an access token of the client. */
async function serve(
  env: Readonly<Record<string, string>>,
  ...more: string[]
): Promise<Served & { readonly token: string }> {
  const database = newDatabase();
  const credentials = await newClient(database);
  const served = await serveHere([...argsOf(database), ...more], env);
  return { ...served, token: await tokenOf(served.url, credentials) };
}

const readiness = async (url: string): Promise<number> =>
  (await fetch(new URL("/readyz", url))).status;

/** The statuses of subscriptions to these URLs. */
async function subscribed(
  { url, token }: Awaited<ReturnType<typeof serve>>,
  targets: readonly string[],
) {
  const secretKey = "a-secret-of-24-characters-or-more";
  const details = { secretKey, subscriptionDetails: { type: "ALL" } };
  const statuses: Record<string, number> = {};
  for (const target of targets) {
    const order = { url: target, ...details };
    statuses[target] = (await call(url, token, "/v1/webhook/subscribe", order)).status;
  }
  return statuses;
}

describe("countersign serve", () => {
  it("serves an imported client, ends on SIGHUP, and accepts the client's token after a restart", async () => {
    const folder = temporaryFolder();
    const database = join(folder, ".countersign", "service.db");
    const use = async (at: string): Promise<number> => (await call(at, token)).status;
    const credentials = await newClient(database);
    const one = start(["serve", "--port", "0"], { folder, env: keys });
    const url = await one.ready();
    const token = await tokenOf(url, credentials);
    expect([await readiness(url), await use(url)]).toEqual([200, 404]);
    const second = await ran(argsOf(database), keys);
    expect(second).toEqual(failedWith("DATABASE_UNUSABLE"));
    const owner = `process ${one.process.pid} at ${url}`;
    expect(second.err).toContain(`the database ${database} is in use by ${owner}: stop it first`);
    expect(await one.end("SIGHUP")).toBe(0);
    expect(one.stdout()).toBe(`ready ${url}\n`);
    expect(one.stderr()).not.toContain(token);

    const again = await serveHere(argsOf(database), keys);
    expect(await use(again.url)).toBe(404);
    expect(await again.end()).toBe(0);

    const { status, out } = await ran([...argsOf(database), "--json"], keys);
    expect([status, JSON.parse(out)]).toEqual([0, { ready: READY, profile: "standard", database }]);
  });

  it("B7 accepts subscriptions by https only, to ports 443 and 8443 or those of --subscription-port", async () => {
    const standard = {
      "http://localhost:3000/": 400,
      "https://merchant.example/": 200,
      "https://merchant.example:8443/": 200,
      "https://merchant.example:8444/": 400,
    };
    const chosen = {
      "https://merchant.example/": 400,
      "https://merchant.example:8444/": 200,
      "https://merchant.example:8445/": 200,
    };
    expect(await subscribed(await serve(keys), Object.keys(standard))).toEqual(standard);
    const options = ["--subscription-port", "8444", "--subscription-port", "8445"];
    expect(await subscribed(await serve(keys, ...options), Object.keys(chosen))).toEqual(chosen);
  });

  it("shows metrics to anyone who has the token, and logs JSON lines without it", async () => {
    const one = await serve({ ...keys, COUNTERSIGN_METRICS_TOKEN: "a-token-for-metrics" });
    expect((await call(one.url, "another-token", "/metrics")).status).toBe(401);
    const { text } = await call(one.url, "a-token-for-metrics", "/metrics");
    expect(text).toContain('countersign_http_requests_total{route="/v1/tokens",status="200"} 1');
    expect(text).toContain("process_resident_memory_bytes");
    await one.end();
    const lines = one.stderr().match(/^\{.*\}$/gm) ?? [];
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { level: "info", message: "call", route: "/v1/tokens", status: 200 },
      { level: "info", route: "/metrics", status: 401 },
      { level: "info", route: "/metrics", status: 200 },
    ]);
    expect(one.stderr()).not.toContain("a-token-for-metrics");
  });
});

describePostgres(
  "countersign serve on PostgreSQL",
  (postgres) => {
    const hushed = (url: string): string => url.replace("postgres@", "postgres:hush@");

    it("starts three times at once on an empty database, and shares tokens", async () => {
      const name = await postgres().create();
      const address = postgres().urlOf(name);
      const env = { ...keys, COUNTERSIGN_DATABASE_URL: hushed(address) };
      const all = await Promise.all([1, 2, 3].map(() => serveHere(["serve", "--port", "0"], env)));
      const [first] = all;
      if (first === undefined) throw new Error("no service is running");
      const token = await tokenOf(first.url, await newClient(address));
      for (const one of all) {
        expect((await call(one.url, token)).status).toBe(404);
        expect(one.stderr()).toContain(`/${name}\n`);
        expect(one.stderr()).not.toContain("hush");
      }
      expect(await Promise.all(all.map((one) => one.end()))).toEqual([0, 0, 0]);
    });

    it("exits with 2 if the database does not exist and does not print its URL", async () => {
      const env = { ...keys, COUNTERSIGN_DATABASE_URL: hushed(postgres().urlOf("nothing")) };
      const failed = await ran(["serve", "--port", "0"], env);
      expect(failed).toEqual(failedWith("DATABASE_UNUSABLE"));
      expect(failed.err).not.toContain("hush");
    });
  },
  { tags: "ci" },
);

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

describe("countersign serve with every variable set", () => {
  it("serves no control and no page of the sandbox, and loads none of their modules", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "preload.mjs");
    writeFileSync(
      file,
      `import { registerHooks } from "node:module";
       registerHooks({ load: (url, context, next) => {
         if (/packages/.test(url)) process.stderr.write("LOADED " + url + "\\n");
         return next(url, context);
       } });`,
    );
    const env = environment();
    const credentials = await newClient(join(folder, ".countersign", "service.db"));
    const preload = pathToFileURL(file).href;
    const one = start(["serve", "--port", "0"], { folder, env, preload });
    const { sandbox } = await openSandbox();
    const routes = routesOf(sandbox).filter((route) => route.includes(" /sandbox/"));
    expect(routes.length).toBeGreaterThan(20);
    const url = await one.ready();
    const token = await tokenOf(url, credentials);
    for (const route of [...routes, "GET /inspector/"]) {
      const [method = "", path = ""] = route.split(" ");
      const json = method === "GET" ? undefined : {};
      const { status } = await call(url, token, path.replace(/:\w+/, "id_1"), json, method);
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect(await one.end()).toBe(0);
    expect(one.stderr()).toMatch(/^LOADED .*\/service\//m);
    expect(one.stderr()).not.toMatch(/^LOADED .*\/(sandbox|inspector)\//m);
  });
});
