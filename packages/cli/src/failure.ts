import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { Surroundings } from "./terminal.ts";

/** Reasons why a command could not run, which exits with 2. Codes are never renamed. */
export const failureCodes = {
  CS_CLI_ALLOW_HOST_MISSING: "`--listen` names a non-loopback address without `--allow-host`.",
  CS_CLI_ARGUMENT_UNUSABLE: "An argument is invalid, or names something unknown.",
  CS_CLI_BASELINE_UNUSABLE: "The file of `--baseline` cannot be read, or is not a JSON report.",
  CS_CLI_DATABASE_UNUSABLE:
    "The database or a file next to it cannot be opened, or has another version's schema.",
  CS_CLI_DELIVER_TO_REFUSED: "Events cannot be sent to the URL of `--deliver-to`.",
  CS_CLI_ENCRYPTION_KEYS_UNUSABLE:
    "The encryption keys are missing or invalid, or are not those of the database.",
  CS_CLI_ENVIRONMENT_UNUSABLE: "A variable is empty, invalid, or contradicts another one.",
  CS_CLI_LIST_UNUSABLE:
    "The provider's list of events cannot be read to its end; the message begins with the receiver's code.",
  CS_CLI_NODE_TOO_OLD: "Node.js is older than the package's `engines`; the message names both.",
  CS_CLI_PACT_MISSING: "Pact is not installed; the message says how to install it.",
  CS_CLI_PORT_TAKEN: "The requested port is in use.",
  CS_CLI_PORT_UNUSABLE: "Cannot listen on the address or the port.",
  CS_CLI_PROFILE_UNUSABLE: "The profile is unknown, or its document is invalid.",
  CS_CLI_PROVIDER_UNUSABLE:
    "The provider is unknown, or its document is invalid. `countersign providers` lists the known ones.",
  CS_CLI_REPORT_UNWRITABLE: "A file of `--report` cannot be written.",
  CS_CLI_SECRET_UNUSABLE: "The secret is missing, or the provider's scheme refuses it.",
  CS_CLI_TARGET_NOT_OWNED: "The target is another machine, and `--i-own` does not name it.",
  CS_CLI_TOKEN_UNUSABLE: "`COUNTERSIGN_TOKEN` is invalid.",
  CS_CLI_UNVERIFIED:
    "Nothing could be verified: the target or its effects URL does not answer, or the pacts are empty.",
} as const;

type FailureCode = keyof typeof failureCodes;

/** The command could not run. The message is for the person at the terminal and holds no secret. */
export class Failure extends Error {
  readonly code: FailureCode;
  constructor(code: FailureCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** The failure of an argument that is invalid, or that names something unknown. */
export function badArgument(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_ARGUMENT_UNUSABLE", message, cause);
}

/** The message of anything that was thrown. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The failure of a document that is not one of its kind: every error with its JSON Pointer. */
export function notA(
  code: FailureCode,
  what: string,
  errors: readonly { readonly pointer: string; readonly message: string }[],
): Failure {
  const lines = errors.map(({ pointer, message }) => `  ${pointer || "/"} ${message}`);
  return new Failure(code, [`${what}:`, ...lines].join("\n"));
}

/** Reads a file whose path is an argument; `-` is standard input. */
export const readInput = (file: string, { input }: Pick<Surroundings, "input">): Promise<Buffer> =>
  (file === "-" ? buffer(input()) : readFile(file)).catch((cause: unknown) => {
    throw badArgument(`cannot read the file ${file}`, cause);
  });

/** Reads a JSON file. @param unreadable The sentence for a file that cannot be read. */
export async function readJson(
  file: string,
  code: FailureCode,
  unreadable: () => string,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new Failure(code, unreadable(), cause);
  });
  try {
    return parse(text);
  } catch (cause) {
    throw new Failure(code, `${file} is not JSON`, cause);
  }
}

/** `code` of an error of Node's, such as `EADDRINUSE`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Returns `; did you mean WORD?` with the known word that begins most like this one, or an empty text. */
export function didYouMean(word: string, known: readonly string[]): string {
  const asked = word.toLowerCase();
  const shared = (one: string): number => {
    const differs = asked.split("").findIndex((letter, at) => one[at]?.toLowerCase() !== letter);
    return differs < 0 ? asked.length : differs;
  };
  const [best = ""] = known.toSorted(
    (a, b) =>
      shared(b) - shared(a) ||
      Math.abs(a.length - asked.length) - Math.abs(b.length - asked.length),
  );
  return shared(best) >= Math.max(2, asked.length / 3) ? `; did you mean ${best}?` : "";
}
