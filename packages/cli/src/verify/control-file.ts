import { readFile } from "node:fs/promises";
import { readControl, variablesOf, type ControlDocument } from "@countersign/contract-kit";
import { secretFrom } from "../environment.ts";
import { Failure } from "../failure.ts";
import type { Surroundings } from "../terminal.ts";

export interface Control {
  readonly document: ControlDocument;
  /** The variables that the document names. */
  readonly env: ReadonlyMap<string, string>;
}

/**
 * The document of `--control`, and the variables that it names; `undefined` without the option.
 *
 * @throws {Failure} `CS_CLI_CONTROL_UNUSABLE`: it cannot be read, or is none; the message has every fault with
 *   its place. `CS_CLI_ENVIRONMENT_UNUSABLE`: a variable that it names is not set.
 */
export async function controlFrom(
  file: string | undefined,
  env: Surroundings["env"],
): Promise<Control | undefined> {
  if (file === undefined) return undefined;
  const reading = readControl(await documentOf(file));
  if (!reading.ok)
    throw unusable(
      [`${file} maps no controls:`, ...reading.faults.map((one) => `  ${one}`)].join("\n"),
    );
  const names = variablesOf(reading.control);
  const values = await Promise.all(
    names.map(async (name) => {
      const value = await secretFrom(env, name);
      if (value === undefined)
        throw new Failure("CS_CLI_ENVIRONMENT_UNUSABLE", `${file} names ${name}, which is not set`);
      return [name, value] as const;
    }),
  );
  return { document: reading.control, env: new Map(values) };
}

async function documentOf(file: string): Promise<unknown> {
  let text;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw unusable(`${file} cannot be read`, cause);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable(`${file} is not JSON`, cause);
  }
}

function unusable(message: string, cause?: unknown): Failure {
  return new Failure("CS_CLI_CONTROL_UNUSABLE", message, { cause });
}
