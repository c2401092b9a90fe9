import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { profiles } from "@countersign/schemas/profiles";
import { listen } from "../../service/test/sandbox/listen.ts";
import { openMerchant, SECRET } from "./fixtures.ts";
import { ran, type Ran } from "./ran.ts";
import { receiverCheckRunner } from "../src/receiver-check-runner.ts";
import { atEndOfFile, temporaryFolder } from "../../../test/temporary-folder.ts";

const second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

const verify = (url: string, ...more: readonly string[]): Promise<Ran> => {
  const env = { COUNTERSIGN_SECRET: `${SECRET}\n${second}` };
  return ran(["verify", "receiver", "--url", url, ...more], env);
};

const atEnd = atEndOfFile();

const opened = { action: "opened", issue: { title: "from the document" } };
/** A document of one event, whose type is in a header. */
const issuesDocument = {
  openapi: "3.1.0",
  info: { title: "Issues", version: "1" },
  webhooks: {
    "issues.opened": {
      post: {
        parameters: [
          { name: "X-GitHub-Event", in: "header", schema: { type: "string", const: "issues" } },
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["action", "issue"],
                properties: {
                  action: { const: "opened" },
                  issue: { type: "object", properties: { title: { type: "string" } } },
                },
              },
              example: opened,
            },
          },
        },
        responses: { "200": { description: "Received" } },
      },
    },
  },
};

describe("countersign verify receiver", () => {
  it("exits with 0 for a correct receiver and names what it could not test", async () => {
    const { url } = await openMerchant([SECRET, second]);
    const only = ["--only", "receiver/genuine", "receiver/signature-lists"];
    const { status, out } = await verify(url, ...only);
    expect(out).toMatch(/R-VERIFY-ROTATION/);
    expect(out).toMatch(/R-ROUTE-ONE/);
    expect(status).toBe(0);
  });

  it("exits with 1 for a receiver that accepts anything, and prints the exchange without a secret", async () => {
    const url = await listen((request, response) => {
      request.resume().on("end", () => response.writeHead(204).end());
    });
    const { status, out, err } = await verify(url, "--only", "R-VERIFY-UNSIGNED");
    expect(status).toBe(1);
    expect(out).toMatch(/POST \/ HTTP\/1\.1/);
    expect(out).toMatch(/HTTP\/1\.1 204 No Content/);
    expect(out).toMatch(/cstest_[0-9a-f]{8}_forged_/);
    expect(out + err).not.toContain(SECRET.slice("whsec_".length));
  });

  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = temporaryFolder(atEnd);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    return folder;
  };
  const stripe = ["--provider", "stripe"];

  it.each<readonly [string, readonly string[], RegExp]>([
    ["a folder of samples that is absent", ["--samples", "no-such-folder"], /cannot read .*ENOENT/],
    [
      "samples of no type",
      ["--samples", folderOf({ "a.json": "{}" })],
      /has the type undefined at/,
    ],
    ["an empty folder of samples", ["--samples", folderOf({})], /has no \.json file/],
    ["a sample that is not JSON", ["--samples", folderOf({ "a.json": "{" })], /is not JSON/],
    [
      "a sample without an id where the provider has it",
      [...stripe, "--samples", folderOf({ "a.json": '{"type":"charge.failed"}' })],
      /sample a\.json has no id at body:\/id/,
    ],
    ["an empty restart command", ["--restart-command", " "], /--restart-command is empty/],
    ["an empty reconcile command", ["--reconcile-command", ""], /--reconcile-command is empty/],
    ["effects without a query", ["--effects", "SELECT 1"], /--effects must be sql: and a query/],
    [
      "a query without a database",
      ["--effects", "sql:SELECT 1"],
      /COUNTERSIGN_EFFECTS_DATABASE_URL must be postgres:/,
    ],
    [
      "a provider whose keys nobody else has",
      ["--provider", "plaid"],
      /CS_CLI_PROVIDER_UNUSABLE: attempts of plaid cannot be made/,
    ],
    ["a claim that is not given", ["--provider", "livekit"], /missing COUNTERSIGN_API_KEY/],
    ["an unknown version", ["--requirements", "2020-01"], /expected one of .*2026-11/],
  ])("exits with 2 before it sends anything for %s", async (_what, args, sentence) => {
    let asked = 0;
    const url = await listen((_request, response) => {
      asked += 1;
      response.end();
    });
    const { status, err } = await verify(url, ...args);
    expect(err).toMatch(sentence);
    expect([status, asked]).toEqual([2, 0]);
  });

  it("exits with 2 and one sentence for a target that does not speak HTTP", async () => {
    const server = createTcpServer((socket) => socket.on("error", () => {}).end("SSH-2.0-x\r\n"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    // A server on TCP has an address with a port.
    const { port } = server.address() as AddressInfo;
    const { status, out, err } = await verify(`http://127.0.0.1:${port}/`);
    server.close();
    expect({ status, out, err }).toEqual({
      status: 2,
      out: "",
      err: expect.stringMatching(/CS_CLI_UNVERIFIED: http.* does not speak HTTP/) as string,
    });
  });

  it.each([
    ["a page that is absent", 404, "", /status 404/],
    ["a page that is not JSON", 200, "<html>", /they are not JSON/],
    ["JSON that is not a list", 200, '{"effects":[]}', /they are not a list/],
  ])(
    "exits with 2 before the first attempt for effects at %s",
    async (_what, status, page, why) => {
      const attempts: unknown[] = [];
      const url = await listen((request, response) => {
        const isList = request.url?.startsWith("/effects") === true;
        if (request.headers["webhook-id"] !== undefined) attempts.push(request.url);
        response.writeHead(isList ? status : 204).end(isList ? page : "");
      });
      const failed = await verify(url, "--effects-url", `${url}/effects?key=a-key`);
      expect(failed).toMatchObject({ status: 2, out: "" });
      expect(failed.err).toMatch(/CS_CLI_UNVERIFIED: invalid --effects-url http:\S+\/effects: the/);
      expect(failed.err).toMatch(why);
      expect(failed.err).not.toContain("a-key");
      expect(attempts).toEqual([]);
    },
  );

  it("reads effects with a query of the merchant's own table, and names the tier", async () => {
    const file = join(temporaryFolder(), "shop.db");
    const database = new DatabaseSync(file);
    database.exec("CREATE TABLE done (event TEXT, kind TEXT)");
    const insert = database.prepare("INSERT INTO done VALUES (?, ?)");
    const url = await listen((request, response) => {
      void text(request).then((body) => {
        const { id, type } = JSON.parse(body) as { readonly id?: string; readonly type?: string };
        if (id !== undefined && type !== undefined) insert.run(id, type);
        response.writeHead(id === undefined ? 400 : 200).end();
      });
    });
    const few = ["--types", "charge.failed", "--only", "R-ROUTE-ONE"];
    const args = ["verify", "receiver", ...stripe, "--url", url, ...few];
    const query = "sql:SELECT event, kind, count(*) FROM done GROUP BY event, kind";
    const env = {
      COUNTERSIGN_SECRET: "whsec_a-secret-of-a-stripe-endpoint",
      COUNTERSIGN_EFFECTS_DATABASE_URL: `sqlite:${file}`,
    };
    const { out, err, status } = await ran([...args, "--effects", query], env);
    expect(out).toMatch(/pass {3}R-ROUTE-ONE/);
    expect(out).toMatch(/tier: effects/);
    expect(out).toMatch(/payloads were not real/);
    expect(err).toMatch(
      /sends a part of \d+ requests, at most \d+, to .*; genuine ones run your handlers/,
    );
    expect(status).toBe(0);
    const failed = await ran([...args, "--effects", "sql:SELECT absent FROM done"], env);
    expect(failed).toMatchObject({ status: 2 });
    expect(failed.err).toMatch(
      /CS_CLI_DATABASE_UNUSABLE: the query of --effects fails: no such column/,
    );
    database.close();
  });

  it.each<readonly [string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    [
      "a sample whose type is in a header and in the body",
      ["--samples"],
      { "issues.opened.json": '{"action":"opened","issue":{"number":7}}' },
      /"issue":\{"number":7/,
    ],
    [
      "an example of an OpenAPI document",
      ["--openapi"],
      { "openapi.json": JSON.stringify(issuesDocument) },
      /"title":"from the document"/,
    ],
  ])(
    "sends GitHub's events like %s, with an id of its own",
    async (_what, [option = ""], files, like) => {
      const seen: string[] = [];
      const url = await listen((request, response) => {
        const { "x-github-event": event, "x-github-delivery": id } = request.headers;
        void text(request).then((body) => {
          seen.push(`${String(event)} ${String(id)} ${body}`);
          response.writeHead(200).end();
        });
      });
      const folder = folderOf(files);
      const path = option === "--samples" ? folder : join(folder, "openapi.json");
      const args = ["--provider", "github", option, path, "--only", "receiver/genuine"];
      const { out, status } = await verify(url, ...args);
      expect(status).toBe(0);
      expect(seen.some((one) => /^issues cstest_\w+ /.test(one) && like.test(one))).toBe(true);
      expect(out).not.toMatch(/payloads were not real/);
    },
  );

  it(
    "varies the user's samples, and sends events again after a restart",
    { tags: "ci" },
    async () => {
      const folder = temporaryFolder();
      const sample = { type: "refund.pending", data: { note: "from a sample", extra: { a: [1] } } };
      writeFileSync(join(folder, "one.json"), JSON.stringify(sample));
      const bodies: string[] = [];
      const url = await listen((request, response) => {
        void text(request).then((body) => {
          bodies.push(body);
          response.writeHead(204).end();
        });
      });
      const marker = join(folder, "restarted");
      const restart = ["--restart-command", `echo 1 > "${marker}"`];
      const only = ["--only", "R-EVENT-UNKNOWN", "R-ONCE-RETRIES"];
      const { status, out } = await verify(url, "--samples", folder, ...restart, ...only);
      expect(out).toMatch(/R-ONCE-RETRIES/);
      expect(bodies.some((one) => one.includes("from a sample"))).toBe(true);
      expect(bodies.some((one) => one.includes('"extra":{"a":[1],"cstestAdded"'))).toBe(true);
      expect(existsSync(marker)).toBe(true);
      expect(status).toBe(0);
    },
  );
});

const runnerOf = (url: string) =>
  receiverCheckRunner({ url, secret: SECRET, profile: profiles.standard, profileName: "standard" });

describe("the checks that a sandbox hosts", () => {
  it(
    "report each finding at once, end when stopped, and contain no secret",
    { tags: "ci" },
    async () => {
      const { url } = await openMerchant([SECRET]);
      const stop = new AbortController();
      const entries: object[] = [];
      const places: number[] = [];
      const report = await runnerOf(`${url}/webhooks`).run({
        signal: stop.signal,
        onCheck: ({ place }) => {
          places.push(place);
          if (place === 3) stop.abort();
        },
        onEntry: (entry) => entries.push(entry),
      });
      expect(places).toEqual([1, 2, 3]);
      expect(entries[0]).toMatchObject({ group: "receiver/genuine", status: "pass" });
      expect(entries.at(-1)).toMatchObject({ status: "skipped" });
      expect(report).toMatchObject({
        exitCode: 2,
        problems: [expect.stringMatching(/interrupted/)],
      });
      expect(JSON.stringify([entries, report])).not.toContain(SECRET.slice(6));
    },
  );

  it("do not run against another machine", async () => {
    const never = () => expect.unreachable();
    const watch = { signal: new AbortController().signal, onCheck: never, onEntry: never };
    await expect(runnerOf("http://8.8.8.8/webhooks").run(watch)).rejects.toMatchObject({
      code: "CS_KIT_TARGET_NOT_OWNED",
    });
  });
});
