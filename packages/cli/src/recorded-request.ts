import { valueAt } from "@countersign/schemas";
import { headersOf } from "./attempts.ts";
import { badArgument, readInput } from "./failure.ts";
import type { Surroundings } from "./terminal.ts";

/** A request from a file. */
interface RecordedRequest {
  /** `undefined` if the file does not say. */
  readonly method: string | undefined;
  /** Path and query, or the whole URL; `undefined` if the file does not say. */
  readonly url: string | undefined;
  /** A list only for a header that arrived more than once. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The body, and if the file may have added a newline to it, the body without it first. */
  readonly bodies: readonly Uint8Array[];
  /** Milliseconds since the epoch, if the file says when the request arrived. */
  readonly at: number | undefined;
}

interface Choice {
  /** Counts from 1. Without it the first HAR entry with the header `signature` is read. */
  readonly entry: number | undefined;
  readonly signature: string;
}

/** Reads a raw HTTP request or a HAR file. @param file A path, or `-` for standard input. */
export async function readRequest(
  file: string,
  choice: Choice,
  surroundings: Pick<Surroundings, "input">,
): Promise<RecordedRequest> {
  const bytes = await readInput(file, surroundings);
  const har = harEntries(bytes);
  if (har !== undefined) return fromHar(har, choice);
  if (choice.entry !== undefined) throw badArgument("--entry needs a HAR file");
  return fromHttp(bytes, file === "-" ? "standard input" : file);
}

function fromHttp(bytes: Buffer, name: string): RecordedRequest {
  const text = bytes.toString("latin1");
  const end = /\r?\n\r?\n/.exec(text);
  const body = end === null ? Buffer.alloc(0) : bytes.subarray(end.index + end[0].length);
  const lines = text.slice(0, end?.index).split(/\r?\n/);
  // Some tools record headers without the request line.
  const [requestLine, method, url] = /^([A-Z]+) (\S+)/.exec(lines[0] ?? "") ?? [];
  if (requestLine !== undefined) lines.shift();
  const headers = headersOf(
    lines.map((line) => {
      const [, field, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? [];
      if (field !== undefined && value !== undefined) return [field, value.trim()];
      throw badArgument(
        `${name} is neither a HAR file nor an HTTP request: cannot read its headers`,
      );
    }),
  );
  return { method, url, headers, bodies: bodiesOf(body, headers), at: undefined };
}

/** An editor ends a file with a newline, which the sender may not have sent. */
function bodiesOf(body: Buffer, headers: RecordedRequest["headers"]): readonly Uint8Array[] {
  const announced = Number(headers["content-length"] ?? Number.NaN);
  if (body.at(-1) !== 0x0a || announced === body.length) return [body];
  const shorter = body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
  return announced === shorter.length ? [shorter] : [shorter, body];
}

interface HarEntry {
  readonly startedDateTime?: string;
  readonly request: {
    readonly method?: string;
    readonly url?: string;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly postData?: { readonly text?: string; readonly encoding?: string };
  };
}

/** Returns `undefined` for anything but a HAR file. */
function harEntries(bytes: Buffer): readonly HarEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
    const entries = valueAt(value, "/log/entries");
    return Array.isArray(entries) && entries.every(isEntry) ? entries : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is HarEntry {
  const headers = valueAt(value, "/request/headers");
  const isField = (one: unknown): boolean =>
    typeof valueAt(one, "/name") === "string" && typeof valueAt(one, "/value") === "string";
  return Array.isArray(headers) && headers.every(isField);
}

function fromHar(entries: readonly HarEntry[], { entry, signature }: Choice): RecordedRequest {
  const isSigned = ({ request }: HarEntry): boolean =>
    request.headers.some(({ name }) => name.toLowerCase() === signature.toLowerCase());
  const chosen = entry === undefined ? entries.find(isSigned) : entries[entry - 1];
  if (chosen === undefined) {
    const missing =
      entry === undefined
        ? `no entry has the header ${signature}; choose one with --entry`
        : `entry ${entry} does not exist`;
    throw badArgument(`the HAR file has ${entries.length} entries, and ${missing}`);
  }
  const { method, url, headers, postData } = chosen.request;
  const at = Date.parse(chosen.startedDateTime ?? "");
  const encoding = postData?.encoding === "base64" ? "base64" : "utf8";
  const body = Buffer.from(postData?.text ?? "", encoding);
  const arrived = Number.isNaN(at) ? undefined : at;
  const fields = headers.map(({ name, value }) => [name, value] as const);
  return { method, url, headers: headersOf(fields), bodies: [body], at: arrived };
}
