import type { HmacDescription } from "./hmac-description.ts";

/**
 * Descriptions of forms that senders use. Each is data: copy one, change what differs, and make a
 * scheme of it with `describedHmac`.
 */
export const hmacPresets: Readonly<
  Record<"xSignature" | "timestamped" | "unseparated" | "body", HmacDescription>
> = {
  /** `X-Signature`, `X-Signature-Timestamp`, `X-Signature-UniqueId`: HMAC-SHA512 over `id.timestamp.body`. */
  xSignature: {
    name: "x-signature",
    algorithm: "sha512",
    encoding: "base64",
    headers: {
      signature: "X-Signature",
      timestamp: "X-Signature-Timestamp",
      id: "X-Signature-UniqueId",
    },
    form: { kind: "single", prefix: "" },
    signed: ["id", "timestamp", "body"],
    separator: ".",
  },
  /** `t=…,v1=…` in one header: HMAC-SHA256 in hexadecimal over `timestamp.body`. No id. */
  timestamped: {
    name: "timestamped-hmac",
    algorithm: "sha256",
    encoding: "hex",
    headers: { signature: "X-Signature" },
    form: { kind: "pairs", timestamp: "t", signature: "v1" },
    signed: ["timestamp", "body"],
    separator: ".",
  },
  /** The timestamp in a header of its own, and nothing between it and the body. No id. */
  unseparated: {
    name: "unseparated-hmac",
    algorithm: "sha256",
    encoding: "base64",
    headers: { signature: "X-Webhook-Signature", timestamp: "X-Webhook-Timestamp" },
    form: { kind: "single", prefix: "" },
    signed: ["timestamp", "body"],
    separator: "",
  },
  /** The body alone. **No replay protection**: neither an id nor a time is signed. */
  body: {
    name: "body-hmac",
    algorithm: "sha256",
    encoding: "hex",
    headers: { signature: "X-Signature" },
    form: { kind: "single", prefix: "" },
    signed: ["body"],
    separator: "",
  },
};
