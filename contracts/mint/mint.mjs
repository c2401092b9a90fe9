#!/usr/bin/env node
// Writes the vectors of the provider documents. The vendors' SDKs sign and judge them; they are installed in this folder only.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import process from "node:process";
import { mock } from "node:test";
import { parseArgs } from "node:util";
import { schemeOf } from "../../packages/signatures/src/index.ts";
import { NOW, attemptOf, messageOf, reasonOf, vectorsOf } from "./vectors.mjs";

const HELP = `Writes contracts/vectors/providers/*.json with the vendors' SDKs.

npm run mint -- [options] [NAME...]     NAME: a provider; default: all

  --check      write nothing; fail if the files differ
  -h, --help   print this help`;

const here = new URL("./", import.meta.url);
const json = (path) => JSON.parse(readFileSync(new URL(path, here), "utf8"));
const manifest = json("package.json");

/** Installs the SDKs, unless those of this lockfile are installed. */
function install() {
  const lockfile = readFileSync(new URL("package-lock.json", here), "utf8");
  const installed = new URL("node_modules/.lockfile.json", here);
  if (existsSync(installed) && readFileSync(installed, "utf8") === lockfile) return;
  console.error("Installing the vendors' SDKs (about 800 MB)…");
  // npm and pnpm hand their own configuration to the scripts that they run.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^p?npm_/i.test(name)),
  );
  const { status } = spawnSync("npm", ["ci"], {
    cwd: here,
    env,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error("npm ci failed");
  writeFileSync(installed, lockfile);
}

/** Returns the SDK's verdict: "accepts", "refuses", or "none" if there is no SDK. */
async function verdictOf(script, vector, secrets) {
  if (script.judge === undefined) return "none";
  mock.timers.enable({ apis: ["Date"], now: NOW });
  try {
    for (const secret of secrets.length > 0 ? secrets : [undefined]) {
      const answer = await judged(script, { ...attemptOf({ ...vector, now: NOW }), secret });
      if (answer !== false && answer !== undefined && vector.event) agree(vector, answer);
      if (answer !== false) return "accepts";
    }
    return "refuses";
  } finally {
    mock.timers.reset();
  }
}

const judged = async (script, attempt) => {
  try {
    return await script.judge(attempt);
  } catch {
    return false;
  }
};

/** Compares the event that an SDK returns with the one that the vector states. */
function agree({ name, event }, answer) {
  for (const member of ["id", "type"])
    if (typeof answer?.[member] === "string" && event[member] !== answer[member])
      throw new Error(
        `${name}: the SDK reads the ${member} ${answer[member]}, not ${event[member]}`,
      );
}

/** Returns the file of a provider's vectors, and what is wrong with them. */
async function mint(name) {
  const document = json(`../../schemas/providers/${name}.json`);
  const script = await import(`./providers/${name}.mjs`);
  const data = json(`events/${name}.json`);
  const { sdk, documentation } = document;
  if (sdk && manifest.dependencies[sdk.npm] !== sdk.version)
    throw new Error(
      `${name}: the document names ${sdk.npm} ${sdk.version}, package.json ${manifest.dependencies[sdk.npm]}`,
    );
  if ((sdk === undefined) !== (script.judge === undefined))
    throw new Error(`${name}: a document names an SDK exactly if the script exports "judge"`);
  const problems = [];
  const vectors = [];
  for (const vector of await vectorsOf(document, script, data)) {
    const secrets = vector.secrets.map((one) => script.secrets[one]);
    const verdict = await verdictOf(script, vector, secrets);
    const differs = verdict !== "none" && verdict !== vector.expected;
    const reason = differs ? reasonOf(vector, data) : undefined;
    if (differs && reason === undefined)
      problems.push(`${name}: the SDK ${verdict} "${vector.name}", and no reason is given`);
    const { headers, body, url, method } = vector;
    vectors.push({
      name: vector.name,
      headers,
      body,
      ...(url === undefined ? {} : { url }),
      ...(method === "POST" ? {} : { method }),
      now: NOW,
      secrets: vector.secrets,
      ...(vector.key === undefined ? {} : { key: vector.key }),
      sdk: verdict,
      expected: vector.expected,
      ...(reason === undefined ? {} : { reason }),
      ...(vector.expected === "accepts"
        ? { event: vector.event, handshake: vector.handshake }
        : {}),
    });
  }
  const { secrets = {}, claims } = script;
  const checked = await check({ document, script, data, secrets, claims, vectors });
  return {
    problems: [...problems, ...checked.problems.map((problem) => `${name}: ${problem}`)],
    file: {
      provider: name,
      ...(sdk ? { sdk: `${sdk.npm}@${sdk.version}` } : { documentation }),
      signedHere: checked.signedHere,
      secrets,
      claims,
      vectors,
    },
  };
}

/** Signs each event with this project's code and lets the SDK judge it, and verifies each vector. */
async function check({ document, script, data, secrets, claims, vectors }) {
  const problems = [];
  const scheme = schemeOf(document);
  for (const vector of vectors) {
    const own = vector.secrets.map((name) => secrets[name]);
    const { headers, body, url, method = "POST", key, now } = vector;
    const attempt = { headers, body: Buffer.from(body), url, method };
    const place = scheme.keyPlace(attempt);
    const { ok, code } =
      typeof place === "object" ? place : scheme.verify(attempt, own, { now, key, claims });
    if (ok !== (vector.expected === "accepts"))
      problems.push(`we ${ok ? "accept" : `refuse (${code})`} "${vector.name}"`);
  }
  let [signed, accepted] = [0, 0];
  const { judge, privateKeys = script.secrets } = script;
  const sign = ({ seconds, body, ...message }) => {
    const unsigned = { ...message, claims, timestamp: seconds, body: Buffer.from(body) };
    const made = scheme.sign(unsigned, [privateKeys.a]);
    return { ...made, ...(made.body ? { body: Buffer.from(made.body).toString() } : {}) };
  };
  const isSecret = /hmac|^sha|hs256/.test(document.signature.algorithm);
  if (judge !== undefined && (isSecret || script.privateKeys !== undefined))
    for (const event of data.events) {
      // An SDK that refuses a genuine message refuses ours too.
      const vector = vectors.find(({ name }) => name === `genuine: ${event.name}`);
      if (vector.sdk === "refuses" || event.sign === "vendor") continue;
      signed += 1;
      const id = event.id ?? event.event?.id ?? "id-1";
      try {
        const made = await messageOf(script, { ...event, id }, { name: "a", sign });
        const message = { ...made, key: script.keys?.a };
        const verdict = await verdictOf(script, message, script.secrets ? [secrets.a] : []);
        if (verdict === "accepts") accepted += 1;
        else problems.push(`the SDK refuses "${event.name}", signed by us`);
      } catch (error) {
        problems.push(`"${event.name}": ${error.message}`);
      }
    }
  return { problems, signedHere: signed === 0 ? undefined : { signed, accepted } };
}

const { values, positionals } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== "--"),
  allowPositionals: true,
  options: {
    check: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) console.log(HELP);
else {
  install();
  const all = readdirSync(new URL("providers/", here)).map((file) => file.replace(".mjs", ""));
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`unknown provider ${unknown.join(", ")}; expected one of ${all.join(", ")}`);
  const problems = [];
  const rows = {};
  // Some SDKs print advice whenever they are started.
  const muted = ["debug", "error", "info", "log", "warn"].map((name) =>
    mock.method(console, name, () => {}),
  );
  for (const name of positionals.length > 0 ? positionals : all) {
    const minted = await mint(name);
    problems.push(...minted.problems);
    const { vectors, sdk, signedHere } = minted.file;
    const text = `${JSON.stringify(minted.file, null, 1)}\n`;
    const file = new URL(`../vectors/providers/${name}.json`, here);
    if (!values.check) writeFileSync(file, text);
    else if (!existsSync(file) || readFileSync(file, "utf8") !== text)
      problems.push(`${name}: the file differs; run npm run mint -- ${name}`);
    const share = (expected, word) => {
      const some = vectors.filter((one) => one.expected === expected);
      return `${some.filter((one) => one.sdk === word).length}/${some.length}`;
    };
    rows[name] = {
      "judged by": sdk ?? "documentation",
      "genuine accepted": share("accepts", "accepts"),
      "forged refused": share("refuses", "refuses"),
      "signed by us": signedHere ? `${signedHere.accepted}/${signedHere.signed}` : "–",
      differences: vectors.filter((one) => one.reason !== undefined).length,
      bytes: Buffer.byteLength(text),
    };
  }
  for (const { mock: one } of muted) one.restore();
  console.table(rows);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
