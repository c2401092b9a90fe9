import { createHmac } from "node:crypto";
import { NOON } from "../fixtures.ts";

/** The key bytes of a `whsec_` secret (Standard Webhooks, "Signature scheme"). */
export const keyOf = (secret: string): Buffer =>
  Buffer.from(secret.slice("whsec_".length), "base64");

/** A `v1` signature by any key at all, also one that no receiver would take. */
export function signatureBy(
  key: Uint8Array | string,
  {
    id,
    timestamp,
    body,
    algorithm = "sha256",
  }: {
    readonly id: string;
    readonly timestamp: string;
    readonly body: Uint8Array;
    readonly algorithm?: "sha256" | "sha1";
  },
): Buffer {
  return createHmac(algorithm, key).update(`${id}.${timestamp}.`).update(body).digest();
}

/** An attempt at noon with headers that a stranger writes. */
export function attemptWith(
  signature: string,
  {
    id = "evt_refund1",
    timestamp = String(NOON / 1000),
    body,
  }: { readonly id?: string; readonly timestamp?: string; readonly body: Uint8Array },
): { headers: Record<string, string>; body: Uint8Array } {
  return {
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": signature,
    },
    body,
  };
}
