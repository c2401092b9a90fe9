import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { isRecord, parseJson } from "../values.ts";
import { formsOf } from "./event-forms.ts";
import type { Samples } from "./provider-events.ts";
import { RequestDraft, sendsForms } from "./request-draft.ts";

/**
 * Reads whole bodies from a folder's `*.json` files, one body a file: JSON, the fields of a form, or the JSON in one.
 * A type that a header has is the file's name, such as `issues.json` or `orders/create.json`.
 *
 * @throws {TypeError} The folder cannot be read or has no such file, or a file is not an event of the provider; the
 *   message is a sentence that names it.
 */
export function readSamples(folder: string, provider: ProviderDocument): Samples {
  const samples = new Map<string, unknown[]>();
  for (const [file, body] of bodiesIn(folder)) {
    const type = readType(body, file, provider);
    samples.set(type, [...(samples.get(type) ?? []), body]);
  }
  return samples;
}

/** @throws {TypeError} The folder cannot be read or has no such file, or a file is not JSON. */
function bodiesIn(folder: string): readonly (readonly [file: string, body: unknown])[] {
  let files: readonly (readonly [file: string, text: string])[];
  try {
    readdirSync(folder);
    const names = globSync("**/*.json", { cwd: folder }).toSorted();
    files = names.map((file) => [file, readFileSync(join(folder, file), "utf8")]);
  } catch (cause) {
    // Errors of Node have a code.
    const { code = "unknown error" } = cause as NodeJS.ErrnoException;
    throw new TypeError(`cannot read the folder of samples ${folder}: ${code}`, { cause });
  }
  if (files.length === 0) throw new TypeError(`the folder of samples ${folder} has no .json file`);
  return files.map(([file, text]) => {
    const body = parseJson(text);
    const what = body === undefined ? "JSON" : "a JSON object";
    if (typeof body === "object" && body !== null) return [file, body] as const;
    throw new TypeError(`sample ${join(folder, file)} is not ${what}`);
  });
}

/** Reads a sample's type where the document has it; parts that a header has are the file's name. */
function readType(body: unknown, file: string, provider: ProviderDocument): string {
  const { event, batch } = provider;
  const fields = new URLSearchParams(isRecord(body) ? (body as Record<string, string>) : {});
  const text = sendsForms(provider) ? String(fields) : JSON.stringify(body);
  const draft = new RequestDraft({ headers: [], body: Buffer.from(text) }, provider);
  const refuse = (has: string): never => {
    throw new TypeError(`sample ${file} has ${has}`);
  };
  if (batch !== undefined && draft.get("item:") === undefined)
    refuse(`no list of events at ${batch}`);
  const lost = [event.id ?? []].flat().find((at) => inBody(at) && draft.get(at) === undefined);
  if (lost !== undefined) return typeInForm(body, provider) ?? refuse(`no id at ${lost}`);
  const { separator = "." } = event;
  const path = file
    .replace(/\.json$/, "")
    .split(sep)
    .join("/");
  const names = path.split(separator);
  const places = [event.type].flat();
  const parts = places.flatMap((part, index) => {
    if (typeof part === "object") return part.text;
    return (inBody(part) ? draft.text(part) : names[index]) ?? [];
  });
  const type = parts.join(separator);
  const first = places.find((part) => inBody(part));
  const isMissing = first === places[0] && inBody(first) && draft.get(first) === undefined;
  if (type === "" || isMissing)
    refuse(
      `the type ${JSON.stringify(draft.get(String(first))) ?? "undefined"} at ${String(first)}`,
    );
  return type;
}

/** The type of a sample that is sent as a form, or in its field, such as Slack's commands and interactions. */
function typeInForm(body: unknown, provider: ProviderDocument): string | undefined {
  for (const { event, isForm, dataAt, typeParts, when } of formsOf(provider)) {
    const [, field] = /^form:(.+)#$/.exec(dataAt) ?? [];
    const fields = field === undefined ? body : { [field]: JSON.stringify(body) };
    // A sample is an object: `URLSearchParams` prints its values.
    const text = String(new URLSearchParams(fields as Record<string, string>));
    const draft = new RequestDraft(
      { headers: [], body: Buffer.from(text) },
      { ...provider, event },
    );
    const [place] = typeParts;
    const type = typeof place === "string" ? draft.text(place) : undefined;
    const isMet = when.every(({ at, startsWith = "" }) => draft.text(at)?.startsWith(startsWith));
    if (isForm && isMet && type !== undefined) return type;
  }
  return undefined;
}

const inBody = (place: unknown): place is string =>
  typeof place === "string" && /^(?:body|item|form):/.test(place);
