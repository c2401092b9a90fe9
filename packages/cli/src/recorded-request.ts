import { readFile } from "node:fs/promises";
import { badArgument } from "./failure.ts";

/** A request from a file. */
export interface RecordedRequest {
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

/**
 * Reads a raw HTTP request or a HAR file.
 *
 * @param choice `entry` counts from 1; without it the first HAR entry with the header `signature` is read.
 * @throws {Failure} `CS_CLI_ARGUMENT_UNUSABLE`: the file cannot be read, is neither, or has no such entry.
 */
export async function readRequest(
  file: string,
  choice: { readonly entry: number | undefined; readonly signature: string },
): Promise<RecordedRequest> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (cause) {
    throw badArgument(`cannot read the file of --file: ${file}`, cause);
  }
  const har = harEntries(bytes);
  if (har !== undefined) return fromHar(har, choice);
  if (choice.entry !== undefined) throw badArgument("--entry needs a HAR file");
  return fromHttp(bytes, file);
}

function fromHttp(bytes: Buffer, file: string): RecordedRequest {
  const end = /\r?\n\r?\n/.exec(bytes.toString("latin1"));
  const head = bytes.toString("latin1", 0, end?.index ?? bytes.length);
  const body = end === null ? Buffer.alloc(0) : bytes.subarray(end.index + end[0].length);
  const [first = "", ...rest] = head.split(/\r?\n/);
  // Some tools record headers without the request line.
  const [requestLine, method, url] = /^([A-Z]+) (\S+)/.exec(first) ?? [];
  const headers: [string, string][] = [];
  for (const line of requestLine !== undefined ? rest : [first, ...rest]) {
    const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw badArgument(
        `${file} is neither a HAR file nor an HTTP request: cannot read its headers`,
      );
    }
    headers.push([name, value.trim()]);
  }
  const sent = collected(headers);
  return { method, url, headers: sent, bodies: bodiesOf(body, sent), at: undefined };
}

function bodiesOf(body: Buffer, headers: RecordedRequest["headers"]): readonly Uint8Array[] {
  const announced = Number(headers["content-length"] ?? Number.NaN);
  const shorter = withoutNewline(body);
  if (shorter === undefined || announced === body.length) return [body];
  // An editor ends a file with a newline, which the sender may not have sent.
  return announced === shorter.length ? [shorter] : [shorter, body];
}

function collected(pairs: readonly (readonly [string, string])[]): RecordedRequest["headers"] {
  const lists = Map.groupBy(pairs, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...lists].map(([name, list]) => {
      const [first = "", ...more] = list.map(([, value]) => value);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

function withoutNewline(body: Buffer): Buffer | undefined {
  if (body.at(-1) !== 0x0a) return undefined;
  return body.subarray(0, body.at(-2) === 0x0d ? -2 : -1);
}

interface HarRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly postData?: { readonly text?: string; readonly encoding?: string };
}

interface HarEntry {
  readonly startedDateTime?: string;
  readonly request: HarRequest;
}

/** Returns `undefined` for anything but a HAR file. */
function harEntries(bytes: Buffer): readonly HarEntry[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
  const log = isObject(value) ? value["log"] : undefined;
  const entries = isObject(log) ? log["entries"] : undefined;
  return Array.isArray(entries) && entries.every(isEntry) ? entries : undefined;
}

function fromHar(
  entries: readonly HarEntry[],
  { entry, signature }: { readonly entry: number | undefined; readonly signature: string },
): RecordedRequest {
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
  const { method, url, headers: listed, postData } = chosen.request;
  const headers = collected(listed.map(({ name, value }) => [name, value]));
  const at = Date.parse(chosen.startedDateTime ?? "");
  const encoding = postData?.encoding === "base64" ? "base64" : "utf8";
  const body = Buffer.from(postData?.text ?? "", encoding);
  return { method, url, headers, bodies: [body], at: Number.isNaN(at) ? undefined : at };
}

function isEntry(value: unknown): value is HarEntry {
  const request = isObject(value) ? value["request"] : undefined;
  const headers = isObject(request) ? request["headers"] : undefined;
  return (
    Array.isArray(headers) &&
    headers.every(
      (one) => isObject(one) && typeof one["name"] === "string" && typeof one["value"] === "string",
    )
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
