import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { containing, encryptionKey, failedWith, SECRET } from "./fixtures.ts";
import { ran } from "./ran.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** Contents of the files below DIR. */
const files = {
  "text.db": "this is a text, not a database, and longer than a header\n".repeat(40),
  "brace.json": "{",
};
const KEYS = `COUNTERSIGN_ENCRYPTION_KEYS=${encryptionKey("k1")}`;
const NOBODY = "http://127.0.0.1:1/";
const schemas = fileURLToPath(new URL("../../../schemas/documents", import.meta.url));
const words: Readonly<Record<string, string>> = {
  SANDBOX: "sandbox --port 0 --database DIR/new.db",
  SERVE: "serve --port 0 --database DIR/new.db",
  DELIVERIES: "serve deliveries",
  SEND: `COUNTERSIGN_SECRET=${SECRET} send refund.failed --url http://x/`,
  DIFF: "diff SCHEMAS SCHEMAS",
  VP: `COUNTERSIGN_TOKEN=hush-hush-hush-hush verify provider --url ${NOBODY}`,
  VR: `COUNTERSIGN_SECRET=${SECRET} verify receiver --url ${NOBODY}`,
  PACTS: `COUNTERSIGN_TOKEN=hush-hush-hush-hush verify pacts --provider-url ${NOBODY}`,
};

/** A code, then a command line with its variables as in a shell; USAGE has no code. */
const lines = `
ALLOW_HOST_MISSING       SANDBOX --listen 0.0.0.0
PROFILE_UNUSABLE         SANDBOX --profile ESC
DELIVER_TO_REFUSED       SANDBOX --deliver-to http://merchant.example/
ARGUMENT_UNUSABLE        SANDBOX --deliver-to nowhere
SECRET_UNUSABLE          COUNTERSIGN_SECRET=hush SANDBOX --deliver-to http://localhost:1/
TOKEN_UNUSABLE           COUNTERSIGN_TOKEN=hush SANDBOX
ENVIRONMENT_UNUSABLE     COUNTERSIGN_TOKEN= SANDBOX
ENVIRONMENT_UNUSABLE     COUNTERSIGN_TOKEN_FILE=/nowhere/token SANDBOX
DATABASE_UNUSABLE        sandbox --port 0 --database DIR/text.db
DATABASE_UNUSABLE        sandbox --port 0 --database DIR/text.db/below.db
ENCRYPTION_KEYS_UNUSABLE SERVE
ENCRYPTION_KEYS_UNUSABLE COUNTERSIGN_ENCRYPTION_KEYS=k1:hush SERVE
ENCRYPTION_KEYS_UNUSABLE ${KEYS},${encryptionKey("k1")} SERVE
ENVIRONMENT_UNUSABLE     COUNTERSIGN_DATABASE_URL=postgres://user:hush@db/countersign SERVE
ENVIRONMENT_UNUSABLE     ${KEYS} COUNTERSIGN_DATABASE_URL=mysql://u:hush@db/d serve --port 0
DATABASE_UNUSABLE        ${KEYS} COUNTERSIGN_DATABASE_URL=postgres://u:hush@127.0.0.1:9/d serve --port 0
ENVIRONMENT_UNUSABLE     ${KEYS} COUNTERSIGN_DATABASE_URL=hush serve --port 0
ENVIRONMENT_UNUSABLE     ${KEYS} COUNTERSIGN_EGRESS_PROXY=socks5://proxy SERVE
ENVIRONMENT_UNUSABLE     ${KEYS} COUNTERSIGN_SIGNING_KEYS=whsec_c2hhcmVk SERVE
USAGE                    SERVE --trust-proxy 10.0.0.0/33
USAGE                    SERVE --token hush
USAGE                    sandbox --port 70000
USAGE                    sandbox --port 1\u009b2J
USAGE                    sandbox --seed -1
USAGE                    sandESCbox
ARGUMENT_UNUSABLE        SEND --id a.b
ARGUMENT_UNUSABLE        SEND --data /gone
ARGUMENT_UNUSABLE        SEND --url ftp://127.0.0.1/
ARGUMENT_UNUSABLE        SEND --url http://a:hush@127.0.0.1/
ARGUMENT_UNUSABLE        COUNTERSIGN_SECRET=${SECRET} send \u001b]0;title\u0007 --url ${NOBODY}
SECRET_UNUSABLE          send refund.failed --url ${NOBODY}
SECRET_UNUSABLE          COUNTERSIGN_SECRET=whsec_aHVzaA== send refund.failed --url ${NOBODY}
SECRET_UNUSABLE          COUNTERSIGN_SECRET=whpk_x send refund.failed --url ${NOBODY}
USAGE                    diff SCHEMAS
CS_DOCUMENT_UNREADABLE   diff \u202eold new
USAGE                    DIFF --fail-on FATAL
ARGUMENT_UNUSABLE        requirements R-NONEESC
ARGUMENT_UNUSABLE        requirements P-AUTH-BEARER --role receiver
ARGUMENT_UNUSABLE        inbox dead
PROVIDER_UNUSABLE        providers NONESUCH
PROVIDER_UNUSABLE        explain --file DIR/request --provider NONESUCH
ENVIRONMENT_UNUSABLE     COUNTERSIGN_DATABASE_URL=postgres://u:hush@h/d inbox dead --database x
ENVIRONMENT_UNUSABLE     COUNTERSIGN_DATABASE_URL=mysql://u:hush@h/d inbox retry reference evt_1 --schema ledger
DATABASE_UNUSABLE        COUNTERSIGN_DATABASE_URL=postgres://u:hush@127.0.0.1:9/d inbox dead --schema ledger
ARGUMENT_UNUSABLE        inbox dead --database x --schema a";DROP
ARGUMENT_UNUSABLE        types --language python --out DIR/out --package events
ARGUMENT_UNUSABLE        types --language java --out DIR/out --package a;class
ARGUMENT_UNUSABLE        types --language go --out DIR/folder
ARGUMENT_UNUSABLE        types --language go --out DIR/text.db/events.go
ARGUMENT_UNUSABLE        VP --state-url nowhere
UNVERIFIED               VP --state-url http://127.0.0.1:1/states
ARGUMENT_UNUSABLE        VP --listen 0.0.0.0
PORT_UNUSABLE            VP --listen 192.0.2.1
ENVIRONMENT_UNUSABLE     COUNTERSIGN_CLIENT_ID=1 VP
TARGET_NOT_OWNED         VP --url http://8.8.8.8
UNVERIFIED               VR --only receiver/genuine
TARGET_NOT_OWNED         VR --url http://8.8.8.8/hook
TARGET_NOT_OWNED         VR --url http://no-such-host.invalid/
TARGET_NOT_OWNED         VR --effects-url http://8.8.8.8/effects
ARGUMENT_UNUSABLE        VR --types refund.unheard
SECRET_UNUSABLE          verify receiver --url ${NOBODY}
SECRET_UNUSABLE          COUNTERSIGN_SECRET=whsec_!!! verify receiver --url ${NOBODY}
ARGUMENT_UNUSABLE        serve import DIR/none.jsonlESC
DATABASE_UNUSABLE        serve import /dev/null --database DIR/text.db
PROFILE_UNUSABLE         serve import /dev/null --profile ESC
DATABASE_UNUSABLE        DELIVERIES list --database DIR/none.db
DATABASE_UNUSABLE        DELIVERIES list --database /dev/null/none.db
DATABASE_UNUSABLE        COUNTERSIGN_DATABASE_URL=postgres://u:hush@127.0.0.1:9/d DELIVERIES list
ARGUMENT_UNUSABLE        DELIVERIES replay
ARGUMENT_UNUSABLE        DELIVERIES replay dlv_1 --subscription sub_1
ARGUMENT_UNUSABLE        DELIVERIES replay dlv_1 --merchant mer_live
USAGE                    DELIVERIES replay --failed-since 2026-13-01T00:00:00Z
UNVERIFIED               PACTS
ARGUMENT_UNUSABLE        PACTS --pacts /nowhere
ENVIRONMENT_UNUSABLE     verify pacts --provider-url ${NOBODY}`;

const rows = lines.trim().split("\n");
const folder = temporaryFolder(afterAll);
for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
mkdirSync(join(folder, "folder"));

it.each(rows.map((line) => line.split(/ +(.*)/s)))(
  "exits with 2 and prints %s, no secret and no control character for `countersign %s`",
  async (code = "", line = "") => {
    const full = line
      .replaceAll("ESC", "\u001b[2J")
      .replaceAll(/\b[A-Z]{2,}\b/g, (word) => words[word] ?? word);
    const all = full
      .split(" ")
      .map((word) => word.replace("DIR", folder).replace("SCHEMAS", schemas));
    const args = all.filter((word) => !/^COUNTERSIGN_\w+=/.test(word));
    const env = all.flatMap((word) => {
      const [, name, value = ""] = /^(COUNTERSIGN_\w+)=(.*)$/.exec(word) ?? [];
      return name === undefined ? [] : [[name, value.replace(",", "\n")]];
    });
    const failed = await ran(args, Object.fromEntries(env) as Record<string, string>);
    if (code === "USAGE") expect(failed).toMatchObject({ status: 2, out: "" });
    else if (code !== "UNVERIFIED") expect(failed).toEqual(failedWith(code));
    else expect(failed).toMatchObject({ status: 2, err: containing("CS_CLI_UNVERIFIED: ") });
    expect(failed.err).toMatch(/\w/);
    expect(failed.err).not.toMatch(/hush|aHVzaA|!!!|[A-Za-z0-9+/]{40}=/);
    expect(failed.err).not.toMatch(/[\p{Cf}]|[^\P{Cc}\n]/u);
    // The empty lock of a database that could not be opened stays.
    const left = readdirSync(folder).filter((name) => !name.endsWith(".db-lock"));
    expect(left.toSorted()).toEqual([...Object.keys(files), "folder"].toSorted());
  },
);
