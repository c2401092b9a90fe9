import type { CheckedHeaders } from "@countersign/signatures";
import { headerReader } from "@countersign/signatures/places";
import type { Attempt } from "./body.ts";
import { type BodyFormat, JSON_TYPES } from "./media.ts";
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
