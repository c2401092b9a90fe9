import { readFile } from "node:fs/promises";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

type Environment = Surroundings["env"];

/** The failure of a variable that is missing, invalid, or contradicts another one. */
export const badEnvironment = (message: string, cause?: unknown): Failure =>
  new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message, cause);

/** Reads a secret from the variable, or from the file that `NAME_FILE` names, without one final newline. */
export async function secretFrom(env: Environment, name: string): Promise<string | undefined> {
  const value = env[name];
  const file = env[`${name}_FILE`];
  if (value !== undefined && file !== undefined)
    throw badEnvironment(`${name} and ${name}_FILE are both set`);
  if (file === undefined) return value === undefined ? undefined : withoutNewline(value, name);
  const at = `the file that ${name}_FILE names`;
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw badEnvironment(`cannot read ${at}`, cause);
  });
  return withoutNewline(text, at);
}

/** Reads a secret that a command cannot do without. @param why Follows the missing variable's name. */
export async function requiredFrom(env: Environment, name: string, why: string): Promise<string> {
  const value = await secretFrom(env, name);
  if (value !== undefined) return value;
  throw badEnvironment(`missing ${name}: ${why}`);
}

/** Reads the URL of a PostgreSQL database from `COUNTERSIGN_DATABASE_URL`. @param file The value of `--database`. */
export async function databaseUrl(
  env: Environment,
  file: string | undefined,
): Promise<string | undefined> {
  const url = await secretFrom(env, "COUNTERSIGN_DATABASE_URL");
  if (url !== undefined && file !== undefined)
    throw badEnvironment("COUNTERSIGN_DATABASE_URL and --database name two databases; choose one");
  if (url === undefined || (/^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url))) return url;
  throw badEnvironment(
    "COUNTERSIGN_DATABASE_URL must be postgres://USER:PASSWORD@HOST:PORT/DATABASE; a SQLite file is named with --database",
  );
}

/** Reads the secret of a receiver from `COUNTERSIGN_SECRET`, or asks for it at the terminal. */
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
  if (text === "") throw badEnvironment(`${at} is empty`);
  if (/[\r\n]$/.test(text)) throw badEnvironment(`${at} ends with more than one newline`);
  return text;
}
