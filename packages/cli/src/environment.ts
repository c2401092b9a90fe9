import { readFile } from "node:fs/promises";
import { Failure } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/**
 * A secret from the environment: the variable, or the file that `NAME_FILE` names, without the line
 * break at its end. `undefined` where neither is set; an empty one is a mistake and no absence.
 *
 * @throws {Failure} `CS_CLI_ENVIRONMENT_UNUSABLE`: both are set, one is empty, or the file cannot be
 *   read.
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
  if (value === "") throw unusable(`${name} is empty`);
  if (file === undefined) return value;
  try {
    const text = (await readFile(file, "utf8")).replace(/\r?\n$/, "");
    if (text === "") throw unusable(`the file that ${name}_FILE names is empty`);
    return text;
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw unusable(`the file that ${name}_FILE names cannot be read`, { cause });
  }
}

function unusable(message: string, options?: ErrorOptions): Failure {
  return new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", message, options);
}
