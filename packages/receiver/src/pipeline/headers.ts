import type { CheckedHeaders, HeadersLike } from "@countersign/signatures";
import { headerReader } from "@countersign/signatures/places";
import type { Attempt } from "./body.ts";
import { type Rejected, rejected } from "./outcome.ts";
import type { ReceiverParts } from "./parts.ts";

/**
 * Refuses an attempt by its method and headers, so that a body that is refused anyway is never read. The headers of
 * the signature are not read again.
 */
export function judgeHeaders(
  { method = "POST", headers }: Pick<Attempt, "method" | "headers">,
  { provider, scheme, media, handshakes, limits, explain }: ReceiverParts,
): Rejected | Admitted {
  if (method === "GET" && handshakes.some((plan) => plan.method === "GET"))
    return { method, format: "form" };
  if (method !== "POST") return rejected("CS_METHOD_NOT_ALLOWED", { facts: { method } });
  const header = headerReader(headers);
  // `null`: sent twice, and nobody can say which of the two is meant.
  const read = (name: string): string | null | undefined => {
    const value = header(name);
    return typeof value === "object" ? null : value;
  };
  const contentEncoding = read("content-encoding");
  const contentType = read("content-type");
  if (contentEncoding !== undefined && contentEncoding?.toLowerCase() !== "identity")
    return rejected("CS_BODY_ENCODED", { facts: { contentEncoding } });
  const format = media(contentType);
  if (format === undefined)
    return rejected("CS_BODY_MEDIA_TYPE", {
      facts: { contentType: contentType ?? null, expected: provider.media ?? JSON_TYPES },
    });
  if (Number(read("content-length") ?? 0) > limits.bodyBytes) return rejected("CS_BODY_TOO_LARGE");

  // An explanation needs the body, and an unsigned handshake has no signature.
  if (explain !== undefined || handshakes.some(({ token }) => token !== undefined))
    return { method, format };
  const checked = scheme.checkHeaders(headers);
  return checked.ok
    ? { method, format, checked }
    : rejected(checked.code, { facts: checked.facts });
}

/** A request whose headers promise an attempt or a handshake. */
export interface Admitted {
  readonly method: "GET" | "POST";
  readonly format: BodyFormat;
  readonly checked?: CheckedHeaders;
}

/** The form of a body, by its Content-Type; `undefined` if the provider sends no such body. */
export type MediaReader = (contentType: string | null | undefined) => BodyFormat | undefined;

/** `text`: JSON if it is, else the text itself. */
export type BodyFormat = "json" | "form" | "text";

const FORM = "application/x-www-form-urlencoded";
export const JSON_TYPES: readonly string[] = ["application/json", "application/*+json"];

/** A media type with no parameter but `charset=utf-8`. */
const CONTENT_TYPE =
  /^(?<type>[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64})(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?$/;

/**
 * Returns a reader of the media types that a provider sends. Without the header the body is read: no parser is chosen
 * only by a stranger's choice of type, since parsers that read it differently are how validation gets bypassed.
 */
export function compileMedia(media: readonly string[] = JSON_TYPES): MediaReader {
  const accepted = new Set(media.filter((type) => !type.includes("*")));
  const suffixes = media.flatMap(
    (type) => type.match(/^(?<start>.+\/)\*(?<end>\+.+)$/)?.slice(1) ?? [],
  );
  const [start, end] = suffixes;
  const byDefault = media.every((type) => type.startsWith(FORM))
    ? "form"
    : accepted.has("text/plain")
      ? "text"
      : "json";
  return (contentType) => {
    if (contentType === undefined) return byDefault;
    const given = String(contentType).toLowerCase();
    const type = accepted.has(given) ? given : (CONTENT_TYPE.exec(given)?.groups?.["type"] ?? "");
    const isAccepted =
      accepted.has(type) ||
      (start !== undefined &&
        end !== undefined &&
        type.length > start.length + end.length &&
        type.startsWith(start) &&
        type.endsWith(end));
    if (!isAccepted) return undefined;
    if (type.startsWith(FORM)) return "form";
    return type.endsWith("json") ? "json" : "text";
  };
}

/** The form of a body whose headers are not judged. */
export function formatOf(headers: HeadersLike, media: MediaReader): BodyFormat {
  const contentType = headerReader(headers)("content-type");
  return (typeof contentType === "object" ? undefined : media(contentType)) ?? "json";
}
