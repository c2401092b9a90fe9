import { readFile } from "node:fs/promises";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/**
 * Reads a secret from the variable, or from the file that `NAME_FILE` names, without one final newline. Returns
 * `undefined` if neither is set.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: both are set, one is empty or ends with more than one newline, or
 *   the file cannot be read.
 */
export async function secretFrom(
  env: Surroundings["env"],
  name: string,
): Promise<string | undefined> {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (value !== undefined && file !== undefined) {
    throw unusable(`${name} and ${name}_FILE are both set`);
  }
  if (file === undefined) return value === undefined ? undefined : withoutNewline(value, name);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw unusable(`cannot read the file that ${name}_FILE names`, { cause });
  }
  return withoutNewline(text, `the file that ${name}_FILE names`);
}

/**
 * Reads the URL of a PostgreSQL database from `COUNTERSIGN_DATABASE_URL`.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: it is not such a URL.
 */
export async function databaseUrl(env: Surroundings["env"]): Promise<string | undefined> {
  const url = await secretFrom(env, "COUNTERSIGN_DATABASE_URL");
  if (url === undefined || (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url))) return url;
  throw unusable(
    "COUNTERSIGN_DATABASE_URL must be postgres://USER:PASSWORD@HOST:PORT/DATABASE; a SQLite file is named with --database",
  );
}

/**
 * Reads the secret of a receiver from `COUNTERSIGN_SECRET`, or asks for it at the terminal.
 *
 * @throws {Failure} `CS_CLI_SECRET_UNUSABLE`: there is none. `CS_CLI_ENVIRONMENT_UNUSABLE`: see `secretFrom`.
 */
export async function signingSecret({
  env,
  askSecret,
}: Pick<Surroundings, "env" | "askSecret">): Promise<string> {
  const secret = (await secretFrom(env, "COUNTERSIGN_SECRET")) ?? (await askSecret("Secret: "));
  if (secret !== undefined && secret.trim() !== "") return secret;
  throw new Failure(
    "CS_CLI_SECRET_UNUSABLE",
    "missing signing secret: set COUNTERSIGN_SECRET or COUNTERSIGN_SECRET_FILE",
  );
}

function withoutNewline(given: string, at: string): string {
  const text = given.replace(/\r?\n$/, "");
  if (text === "") throw unusable(`${at} is empty`);
  if (/[\r\n]$/.test(text)) throw unusable(`${at} ends with more than one newline`);
  return text;
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message, options);
}
