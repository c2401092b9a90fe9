import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "@countersign/schemas";
import { isRecord } from "../derive/faults.ts";
import type { Samples } from "./events.ts";

/**
 * Reads whole events from a folder's `*.json` files, one event a file.
 *
 * @throws {TypeError} The folder cannot be read or has no such file, or a file is not an event of the profile; the
 *   message is a sentence that names it.
 */
export function readSamples(folder: string, { envelope, catalogue, name }: Profile): Samples {
  const samples = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const file of jsonFiles(folder)) {
    const event = eventIn(join(folder, file));
    const type = at(event, envelope.type);
    const row = catalogue.find((one) => one.type === type);
    if (row === undefined)
      throw new TypeError(
        `sample ${file} has the type ${JSON.stringify(type) ?? "undefined"} at ${envelope.type}, and profile ${name} has no such event`,
      );
    samples.set(row.type, [...(samples.get(row.type) ?? []), event]);
  }
  return samples;
}

/** @throws {TypeError} The folder cannot be read or has no such file, or a file is no JSON object. */
export function readFolder(folder: string): readonly Readonly<Record<string, unknown>>[] {
  return jsonFiles(folder).map((file) => eventIn(join(folder, file)));
}

function jsonFiles(folder: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (cause) {
    // Errors of Node have a code.
    const { code } = cause as NodeJS.ErrnoException;
    throw new TypeError(`cannot read the folder of samples ${folder}: ${code ?? "unknown error"}`, {
      cause,
    });
  }
  const files = names.filter((one) => one.endsWith(".json")).toSorted();
  if (files.length === 0) throw new TypeError(`the folder of samples ${folder} has no .json file`);
  return files;
}

function eventIn(path: string): Readonly<Record<string, unknown>> {
  try {
    const event: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(event)) return event;
  } catch (cause) {
    throw new TypeError(`sample ${path} is not JSON`, { cause });
  }
  throw new TypeError(`sample ${path} is not a JSON object`);
}

function at(event: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split("/")
    .reduce<unknown>((value, step) => (isRecord(value) ? value[step] : undefined), event);
}
