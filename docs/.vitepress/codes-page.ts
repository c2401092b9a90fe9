// Prints the page of codes, to which messages and reports lead, from the tables and doc comments of the sources: no
// library knows their form. Only what a reader does about a code of the receiver is written here.
import fs from "node:fs";
import { failureCodes } from "../../packages/cli/src/failure.ts";
import { clientErrorCodes } from "../../packages/client/src/errors.ts";
import { attemptErrorCodes } from "../../packages/service/src/delivery/egress/attempt-error.ts";
import { errorCodes, importCodes, memberCodes } from "../../packages/service/src/error-codes.ts";
import { tokenErrors } from "../../packages/service/src/http/routes/tokens.ts";
import { sandboxErrorCodes } from "../../packages/service/src/sandbox/refusals.ts";
import { REJECTIONS } from "../../packages/receiver/src/pipeline/outcome.ts";
import { FIXES } from "../../packages/signatures/src/explain-causes.ts";
import { signatureErrorCodes } from "../../packages/signatures/src/scheme.ts";
import { fixes } from "./code-fixes.ts";
import { root } from "../../scripts/packages.ts";

type Sentences = Readonly<Record<string, string>>;
type Meanings = Readonly<Record<string, { readonly meaning: string; readonly status?: unknown }>>;

const plain = (text: string): string => {
  const sentence = text.replaceAll(/\s*\n\s*\*\s*/g, " ").trim();
  return sentence[0]?.toUpperCase() + sentence.slice(1);
};

/** Reads what doc comments say of codes: in a list, before a member, before an error's class, or with `@throws`. */
function documented(...files: readonly string[]): Sentences {
  const found: Record<string, string> = {};
  for (const file of files) {
    const text = fs.readFileSync(`${root}packages/${file}.ts`, "utf8");
    const comments = [
      ...text.matchAll(/^ \* - `(CS_\w+)`: ([^]*?)(?=\n \* - |\n \*\n|\n \*\/)/gm),
      ...text.matchAll(/@throws \{\w+\} `(CS_\w+)`: ([^]*?)(?= @param| \*\/|\n \* @|\n \*\/)/g),
    ].map(([, code = "", sentence = ""]) => [code, sentence]);
    const before = [
      ...text.matchAll(/\/\*\* ([^]*?) \*\/\n {2}(?:\| ")?(CS_\w+)\b/g),
      ...text.matchAll(
        /\/\*\* ([^]*?) \*\/\nexport class \w+ [^{]*\{\n {2}readonly code = "(CS_\w+)"/g,
      ),
    ].map(([, sentence = "", code = ""]) => [code, sentence.split(/ \*\/|\/\*\* /).at(-1) ?? ""]);
    for (const [code = "", sentence = ""] of [...before, ...comments])
      found[code] ??= plain(sentence);
  }
  return found;
}

const withStatus = (sentences: Sentences, status: Readonly<Record<string, unknown>>): Sentences =>
  Object.fromEntries(
    Object.entries(sentences).map(([code, sentence]) => [
      code,
      typeof status[code] === "number" ? `${sentence} Status ${String(status[code])}.` : sentence,
    ]),
  );

const meanings = (table: Meanings): Sentences =>
  withStatus(
    Object.fromEntries(Object.entries(table).map(([code, { meaning }]) => [code, meaning])),
    Object.fromEntries(Object.entries(table).map(([code, { status }]) => [code, status])),
  );

/** The sections of the page: heading, introduction, sentences by code. */
const sections = (): readonly (readonly [string, string, Sentences])[] => [
  [
    "Mistakes in an app",
    "Each is a `TypeError` that `createReceiver`, `verifyEvent`, `receiver.on`, an adapter or an inbox throws when the app starts. The code is in `code` and at the beginning of the message, which names the option and what it expects, and never contains a secret.",
    documented("receiver/src/mistake"),
  ],
  [
    "Receiver",
    "Outcomes of `createReceiver` and `verifyEvent`, and warnings of the process. Senders see only the code.",
    withStatus(
      {
        ...documented("receiver/src/pipeline/outcome", "receiver/src/pipeline/respond"),
        ...documented("receiver/src/runtime", "receiver/src/pipeline/failure-log"),
        ...documented("receiver/src/inbox/sql"),
      },
      REJECTIONS,
    ),
  ],
  ["Signatures", "All of them are answered 401 with `CS_SIGNATURE_REFUSED`.", signatureErrorCodes],
  ["Causes of a refusal", "`cause` of `countersign explain`, each with its fix.", FIXES],
  [
    "Lists of events",
    "`receiver.reconcile` and `countersign inbox reconcile` reject with a `ListError`, whose `code` is one of these.",
    documented("receiver/src/reconcile/list-error"),
  ],
  [
    "JSON and amounts",
    "Reasons why a body or an amount is refused.",
    documented("rules/src/money", "rules/src/strict-json"),
  ],
  ["Client", "`code` of the errors that a call of the client rejects with.", clientErrorCodes],
  ["Command", "Printed on stderr as `countersign: CODE: message`, with exit code 2.", failureCodes],
  [
    "Documents",
    "`code` of a `DocumentError`: an OpenAPI or AsyncAPI document, or a folder of schemas, cannot be used. Commands that read one exit with 2.",
    documented("contract-kit/src/documents/document-error"),
  ],
  [
    "Contract kit",
    "`code` of the errors that a run of the checks rejects with.",
    documented(
      "contract-kit/src/harness/owned-host",
      "contract-kit/src/provider/provider-states",
      "contract-kit/src/pact/run-child",
    ),
  ],
  [
    "Service and deliveries",
    "`CS_ATTEMPT_…`: the reason why a delivery's attempt has no answer.",
    {
      ...meanings(attemptErrorCodes),
      ...documented("service/src/secrets/vault"),
      ...documented("service/src/store/driver", "service/src/store/create-tables"),
    },
  ],
  [
    "HTTP interface",
    "`errorDetails.errorCode` of an answer. Those without a status are reasons of a failed refund. The statuses and bounds are those of the `standard` profile. After 401, get a new token. After 429 and 503, repeat the call once `Retry-After` has passed. After 409, read `existing` and keep your key. After 500 or no answer, repeat the call with the same key. Do not repeat others.",
    meanings(errorCodes),
  ],
  [
    "Sandbox",
    "Codes of the controls beyond those of the interface.",
    Object.fromEntries(
      Object.entries(sandboxErrorCodes).map(([code, [status, meaning]]) => [
        code,
        `${meaning} Status ${String(status)}.`,
      ]),
    ),
  ],
  ["Members of a request", "`errors[].code` of a problem.", meanings(memberCodes)],
  [
    "Lines of an import",
    "`code` of an error of `countersign serve import`.",
    meanings(importCodes),
  ],
  ["Tokens", "`error` of `POST /v1/tokens` (RFC 6749, section 5.2).", meanings(tokenErrors)],
];

/** Prints `docs/reference/codes.md`. */
export function codesPage(): string {
  const entry = ([code, sentence]: readonly [string, string]): readonly string[] => {
    const fix = fixes[code];
    return [`### ${code}`, sentence, ...(fix === undefined ? [] : [`Fix: ${fix}`])];
  };
  return `${[
    "# Codes",
    "<!-- Generated by scripts/generate.ts from the sources' tables and doc comments. Do not edit. -->",
    "Programs compare codes; messages may change. Codes are never renamed, and new ones may be added.",
    ...sections().flatMap(([heading, text, sentences]) => [
      `## ${heading}`,
      text,
      ...Object.entries(sentences).flatMap(entry),
    ]),
  ].join("\n\n")}\n`;
}
