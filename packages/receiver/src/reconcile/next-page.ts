import { stepsOf, withValueAt } from "@countersign/schemas";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { memberAt, parsePlace } from "@countersign/signatures/places";
import { ListError } from "./list-error.ts";

export type EventList = NonNullable<ProviderDocument["list"]>;

/** @throws {ListError} `CS_LIST_UNSUPPORTED`: the provider's document has no list. */
export function listOf({ list, title }: ProviderDocument): EventList {
  if (list !== undefined) return list;
  const text = `${title} has no list of events that its document describes`;
  throw new ListError("CS_LIST_UNSUPPORTED", text);
}

/** The request of a page. */
export interface PageRequest {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly body?: unknown;
}

/** Returns the request with a parameter: of the query, or at a JSON Pointer in the body. */
export function withParameter(
  request: PageRequest,
  name: string,
  value: string | number,
): PageRequest {
  if (request.method === "POST")
    return { ...request, body: withValueAt(request.body, stepsOf(name), value) };
  const url = new URL(request.url);
  url.searchParams.set(name, String(value));
  return { ...request, url: url.href };
}

/** A page as JSON, with its last item and the headers of its answer. */
export interface Page {
  readonly page: unknown;
  readonly last: unknown;
  readonly headers: Headers;
}

/**
 * Finds the request of the next page; `undefined` after the last one.
 *
 * @throws {ListError} `CS_LIST_REDIRECTED`: the link leads to another host; `CS_LIST_UNREADABLE`: no cursor where one is
 *   promised, or a link that is not a URL.
 */
export function nextPage(
  { page, last, headers }: Page,
  request: PageRequest,
  { next }: EventList,
  title: string,
): PageRequest | undefined {
  if (next.url !== undefined) {
    const link = linkAt(next.url, page, headers);
    return link === undefined ? undefined : { ...request, url: sameHost(link, request.url, title) };
  }
  const valueOf = (place: string): unknown =>
    memberAt(place.startsWith("item:") ? last : page, parsePlace(place).members);
  const isEnd = next.more !== undefined && valueOf(next.more) !== true;
  if (isEnd || next.cursor === undefined || next.parameter === undefined) return undefined;
  const cursor = valueOf(next.cursor) ?? "";
  if (typeof cursor === "number" || (typeof cursor === "string" && cursor !== ""))
    return withParameter(request, next.parameter, cursor);
  if (next.more === undefined && cursor === "") return undefined;
  throw new ListError(
    "CS_LIST_UNREADABLE",
    `${title} promises a next page and has no cursor at ${next.cursor}`,
  );
}

/** An address, the link "next" of a Link header (RFC 8288), or that of a list of `{ rel, href }`. */
function linkAt(place: string, page: unknown, headers: Headers): string | undefined {
  const { kind, name, members } = parsePlace(place);
  if (kind === "header")
    return /<([^>]*)>(?:\s*;\s*[^;,]*)*?;\s*rel="?next"?(?=\s*[;,]|\s*$)/i.exec(
      headers.get(name) ?? "",
    )?.[1];
  const value = memberAt(page, members);
  if (typeof value === "string" && value !== "") return value;
  const links: readonly unknown[] = Array.isArray(value) ? value : [];
  const next = links.find((link) => memberAt(link, ["rel"]) === "next");
  const href = memberAt(next, ["href"]);
  return typeof href === "string" ? href : undefined;
}

/** Whoever answers could name another host, which would get the token. */
function sameHost(link: string, from: string, title: string): string {
  if (!URL.canParse(link, from))
    throw new ListError("CS_LIST_UNREADABLE", `${title} names a next page that is not a URL`);
  const url = new URL(link, from);
  if (url.origin === new URL(from).origin && url.username === "") return url.href;
  throw new ListError(
    "CS_LIST_REDIRECTED",
    `${title} names a next page on ${url.host}, which must not get the token of another host`,
  );
}
