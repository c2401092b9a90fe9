import { globSync, readFileSync } from "node:fs";
import { codesOf, operationsOf } from "../../../service/src/documents/operations.ts";
import { FIXES } from "../../../signatures/src/explain-causes.ts";
import { errorCodes, importCodes, memberCodes } from "../../../service/src/error-codes.ts";
import { tokenErrors } from "../../../service/src/http/routes/tokens.ts";
import { root } from "../published.ts";
import { markdownPage, plainDoc } from "./markdown.ts";

type Profile = Parameters<typeof operationsOf>[0];

interface Meaning {
  readonly meaning: string;
  readonly status?: number | undefined;
}

/** The packages that name codes of `CS_`, in the order of the page. */
const sections = {
  receiver: [
    "Receiver",
    "Outcomes of `createReceiver` and `verifyEvent`, and warnings of the process. Senders see only the code.",
  ],
  signatures: ["Signatures", "All of them are answered 401 with `CS_SIGNATURE_REFUSED`."],
  rules: ["JSON and amounts", "Reasons why a body or an amount is refused."],
  client: ["Client", "`code` of the errors that a call of the client rejects with."],
  cli: ["Command", "Printed on stderr as `countersign: CODE: message`, with exit code 2."],
  "contract-kit": ["Contract kit", "`code` of the errors that a run of the checks rejects with."],
  service: [
    "Service and deliveries",
    "`CS_ATTEMPT_…`: the reason why a delivery's attempt has no answer.",
  ],
} as const;

/**
 * The page of every code that a person can meet, each under its own heading.
 *
 * @throws {Error} a code in the sources has no sentence.
 */
export function codesPage(profile: Profile): string {
  const codes = Object.keys(sections).map((name) => codesIn(`${root}packages/${name}/src`));
  const explained = codes.flatMap(({ meanings }) => [...meanings.keys()]);
  // Some sources name only the beginning of codes.
  const isExplained = (code: string): boolean => explained.some((one) => one.startsWith(code));
  const missing = codes.flatMap(({ used }) => used.filter((code) => !isExplained(code)));
  if (missing.length > 0) throw new Error(`codes without a sentence: ${missing.join(", ")}`);
  const calls = callsByCode(profile);
  return markdownPage(
    { title: "Codes", from: "the sources" },
    "Programs compare codes; messages may change. Codes are never renamed, and new ones may be added.",
    ...Object.values(sections).flatMap(([heading, intro], index) => [
      `## ${heading}`,
      intro,
      ...entries(codes[index]?.meanings ?? new Map()),
    ]),
    "## Causes of a refusal",
    "`cause` of `countersign explain`, each with its fix.",
    ...entries(new Map(Object.entries(FIXES).map(([cause, meaning]) => [cause, { meaning }]))),
    "## HTTP interface",
    "`errorDetails.errorCode` of an answer. Those without a status are reasons of a failed refund. The statuses and bounds are those of " +
      "the `standard` profile. After 401, get a new token. After 429 and 503, repeat the call once `Retry-After` has passed. After 409, read " +
      "`existing` and keep your key. After 500 or no answer, repeat the call with the same key. Do not repeat others.",
    ...entries(new Map(Object.entries(errorCodes)), calls),
    "## Sandbox",
    "Further codes of the sandbox's controls.",
    ...entries(sandboxCodes(`${root}packages/sandbox/src/refusals.ts`)),
    "## Members of a request",
    "`errors[].code` of an answer, with a JSON Pointer into the body.",
    ...entries(new Map(Object.entries(memberCodes))),
    "## Lines of an import",
    "Codes of `countersign serve import` in addition to those of the HTTP interface and of members.",
    ...entries(new Map(Object.entries(importCodes))),
    "## Tokens",
    "`error` of the token call (RFC 6749, section 5.2).",
    ...entries(new Map(Object.entries(tokenErrors))),
  );
}

function entries(
  meanings: ReadonlyMap<string, Meaning>,
  calls: Readonly<Record<string, string>> = {},
): readonly string[] {
  return [...meanings].flatMap(([code, { meaning, status }]) => {
    const about = status === undefined ? "" : ` Status ${String(status)}${calls[code] ?? ""}.`;
    return [`### ${code}`, meaning + about];
  });
}

/** The codes of the sandbox's table, whose module needs the built packages. */
function sandboxCodes(file: string): ReadonlyMap<string, Meaning> {
  const rows = readFileSync(file, "utf8").matchAll(/^ {2}(\w+): \[\s*(\d{3}),\s*"([^"]+)"/gm);
  return new Map(
    [...rows].map(([, code = "", status, meaning = ""]) => [
      code,
      { meaning, status: Number(status) },
    ]),
  );
}

/** The calls that answer each code. */
function callsByCode(profile: Profile): Readonly<Record<string, string>> {
  const operations = operationsOf(profile);
  const calls = operations.flatMap((operation) =>
    codesOf(operation).map((code) => [code, operation] as const),
  );
  return Object.fromEntries(
    [...Map.groupBy(calls, ([code]) => code)].map(([code, found]) => [
      code,
      found.length === operations.length
        ? " from every call"
        : ` from ${found.map(([, { method, path }]) => `\`${method.toUpperCase()} ${path}\``).join(", ")}`,
    ]),
  );
}

/** The codes of `CS_` that a package's sources name, and the sentences that they give. */
function codesIn(folder: string): { used: string[]; meanings: ReadonlyMap<string, Meaning> } {
  const text = globSync(`${folder}/**/*.ts`)
    .toSorted()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const meanings = new Map<string, Meaning>();
  const statuses = new Map(matches(text, /^ {2}(CS_\w+): (\d{3}),$/gm));
  const add = (code: string, meaning: string): void => {
    const sentence = meaning.replaceAll(/\s+/g, " ").trim();
    const status = statuses.get(code);
    if (meanings.has(code)) return;
    meanings.set(code, { meaning: sentence, ...(status && { status: Number(status) }) });
  };
  // A table: CODE: "sentence", or CODE: { meaning: "sentence" }.
  for (const [code, sentence] of matches(
    text,
    /^ {2}(CS_\w+):\s*(?:\{\s*meaning:\s*)?("(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*")/gm,
  ))
    add(code, JSON.parse(sentence) as string);
  // A list in a doc comment.
  for (const [code, sentence] of matches(text, /^ *\* - `(CS_\w+)`: ((?:[^\n]|\n *\* {3})*)/gm))
    add(
      code,
      plainDoc(
        `/** ${sentence[0]?.toUpperCase() ?? ""}${sentence.slice(1).replaceAll(/\n *\* */g, " ")} */`,
      ),
    );
  // The class of an error.
  for (const [comment, code] of matches(
    text,
    /(\/\*\*(?:(?!\*\/)[^])*\*\/)\nexport class \w+ extends [^{]*\{\n(?: {2}override)? *readonly code(?:: [^=]+)? = "(CS_\w+)"/g,
  ))
    add(code, plainDoc(comment));
  return { used: [...new Set(text.match(/(?<=["'`])CS_[A-Z_]*[A-Z](?=["'`:])/g))], meanings };
}

const matches = (text: string, pattern: RegExp): (readonly [string, string])[] =>
  [...text.matchAll(pattern)].map(([, first = "", second = ""]) => [first, second]);
