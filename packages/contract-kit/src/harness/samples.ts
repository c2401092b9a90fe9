import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Profile } from "@countersign/schemas";
import type { Samples } from "./events.ts";
import { profiles } from "@countersign/schemas/profiles";
import { isRecord } from "../derive/faults.ts";

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

/** @throws {TypeError} The folder cannot be read or has no such file, or a file is not a JSON object. */
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

/**
 * The events of any sender that signs by Standard Webhooks: the id in the header, `type`, `timestamp` and
 * `data` in the body.
 *
 * @param folder The user's events as `*.json`, each of a different type; default: two plain ones.
 * @throws {TypeError} A file is no JSON object with a `type`; the message is a sentence that names it.
 */
export function standardWebhooksEvents(folder?: string): {
  readonly profile: Profile;
  readonly samples: Samples;
} {
  const plain: readonly Readonly<Record<string, unknown>>[] = [
    "example.created",
    "example.updated",
  ].map((type) => ({ type, data: { id: "1" } }));
  const events = folder === undefined ? plain : readFolder(folder);
  const samples = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const event of events) {
    const { type } = event;
    if (typeof type !== "string" || !/^[A-Za-z0-9_.-]{1,128}$/.test(type))
      throw new TypeError(`each sample needs a "type" of letters, digits and ._-`);
    // Every event gets a new time.
    const { timestamp: _, ...rest } = event;
    samples.set(type, [...(samples.get(type) ?? []), rest]);
  }
  return {
    samples,
    profile: {
      ...profiles.standard,
      name: "standard-webhooks",
      signature: { scheme: "standard-webhooks", toleranceSeconds: 300 },
      envelope: { id: "/id", type: "/type", timestamp: "/timestamp", data: "/data" },
      catalogue: [...samples.keys()].map((type) => ({
        type,
        category: "EVENT",
        resource: "/data/id",
      })),
    },
  };
}
