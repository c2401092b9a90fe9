import type { Profile } from "@countersign/schemas/profiles";

export interface SignatureHeader {
  readonly name: string;
  readonly description: string;
}

/** The header fields of an attempt that prove where it comes from, as a profile's scheme has them. */
export function signatureHeaders({ signature }: Pick<Profile, "signature">): SignatureHeader[] {
  switch (signature.scheme) {
    case "standard-webhooks":
      return [
        { name: "webhook-id", description: "Identifier of the event, the same in each attempt." },
        { name: "webhook-timestamp", description: "Time of this attempt, in seconds since 1970." },
        { name: "webhook-signature", description: "Standard Webhooks 1.0.0: `v1,` and base64." },
      ];
    case "hmac": {
      const { headers, algorithm, encoding, signed } = signature.description;
      const text = `HMAC-${algorithm.toUpperCase()} of ${signed.join(", ")}, in ${encoding}.`;
      return [
        ...(headers.id === undefined
          ? []
          : [{ name: headers.id, description: "Identifier of the event." }]),
        ...(headers.timestamp === undefined
          ? []
          : [{ name: headers.timestamp, description: "Time of this attempt, in seconds." }]),
        { name: headers.signature, description: text },
      ];
    }
    default:
      return signature satisfies never;
  }
}
