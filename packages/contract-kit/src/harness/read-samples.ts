import { globSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { isRecord, parseJson } from "../values.ts";
import type { Samples } from "./provider-events.ts";
import { RequestDraft, sendsForms } from "./request-draft.ts";

/**
 * Reads whole bodies from a folder's `*.json` files, one body a file: JSON, or the fields of a form. A type that a
 * header has is the file's name, such as `issues.json` or `orders/create.json`.
 *
 * @throws {TypeError} The folder cannot be read or has no such file, or a file is not an event of the provider; the
 *   message is a sentence that names it.
 */
export function readSamples(folder: string, provider: ProviderDocument): Samples {
  const samples = new Map<string, unknown[]>();
  for (const [file, body] of bodiesIn(folder)) {
    const type = readType(body, { file, provider });
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
    const path = join(folder, file);
    if (body === undefined) throw new TypeError(`sample ${path} is not JSON`);
    if (typeof body !== "object" || body === null)
      throw new TypeError(`sample ${path} is not a JSON object`);
    return [file, body] as const;
  });
}

function readType(
  body: unknown,
  { file, provider }: { readonly file: string; readonly provider: ProviderDocument },
): string {
  const { event, batch } = provider;
  const isForm = sendsForms(provider);
  const fields = isRecord(body) ? body : {};
  const text = isForm
    ? String(new URLSearchParams(fields as Record<string, string>))
    : JSON.stringify(body);
  const draft = new RequestDraft({ headers: [], body: Buffer.from(text) }, provider);
  if (batch !== undefined && draft.get("item:") === undefined)
    throw new TypeError(`sample ${file} has no list of events at ${batch}`);
  const inBody = (place: unknown): place is string =>
    typeof place === "string" && /^(?:body|item|form):/.test(place);
  const lost = [event.id ?? []]
    .flat()
    .find((place) => inBody(place) && draft.get(place) === undefined);
  if (lost !== undefined) throw new TypeError(`sample ${file} has no id at ${lost}`);
  const { separator = "." } = event;
  const name = file
    .replace(/\.json$/, "")
    .split(sep)
    .join("/")
    .split(separator);
  const parts = [event.type].flat().flatMap((part, index) => {
    if (typeof part === "object") return part.text;
    if (!inBody(part)) return name[index] ?? [];
    const value = draft.get(part);
    return typeof value === "string" || typeof value === "number" ? String(value) : [];
  });
  const first = [event.type].flat().find((part) => inBody(part));
  const type = parts.join(separator);
  if (type === "" || (inBody([event.type].flat()[0]) && draft.get(String(first)) === undefined))
    throw new TypeError(
      `sample ${file} has the type ${JSON.stringify(draft.get(String(first))) ?? "undefined"} at ${String(first)}`,
    );
  return type;
}
