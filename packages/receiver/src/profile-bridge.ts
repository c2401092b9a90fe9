import type { EventTypeMap } from "@countersign/schemas";
import type { Profile } from "@countersign/schemas/profiles";
import { type ProviderDocument, reference, xSignature } from "@countersign/schemas/providers";
import type { TypedProvider } from "./provider.ts";

// Until every caller names its provider: what a profile says about signatures and envelopes, as a document.

export type BridgedProfile = "standard" | "x-signature" | Profile;

/** Returns the provider of a profile's name or document; without one, the reference. */
export function bridged(profile: BridgedProfile = "standard"): TypedProvider<EventTypeMap> {
  if (profile === "x-signature") return xSignature;
  if (profile === "standard") return reference;
  if (typeof profile !== "object" || profile === null)
    throw new TypeError(`unknown profile ${JSON.stringify(profile)}`);
  if (profile.name === "standard") return reference;
  if (profile.name === "x-signature") return xSignature;
  const { name, envelope, signature, catalogue, delivery } = profile;
  const at = (pointer: string): string => `body:${pointer}`;
  return {
    name,
    title: name,
    documentation: "https://example.com",
    ...signed(signature),
    event: {
      id: at(envelope.id),
      type: at(envelope.type),
      category: "catalogue",
      time: { at: at(envelope.timestamp), unit: "iso" },
      data: at(envelope.data),
    },
    answer: { deadlineSeconds: delivery.timeoutMs / 1000 },
    retries: {
      hours: Math.ceil(delivery.scheduleSeconds.reduce((sum, step) => sum + step, 0) / 3600),
    },
    catalogue: catalogue.map(({ type, category, resource, rank }) => ({
      type,
      category,
      resource: at(resource),
      ...(rank !== undefined && { rank }),
    })),
  };
}

function signed(
  stated: Profile["signature"],
): Pick<ProviderDocument, "signature" | "secret" | "id" | "timestamp"> {
  if (stated.scheme === "standard-webhooks") {
    const { signature, id, timestamp, secret } = reference;
    return {
      signature,
      ...(id && { id }),
      ...(timestamp && { timestamp }),
      ...(secret && { secret }),
    };
  }
  const {
    algorithm,
    encoding,
    headers,
    form,
    signed: parts,
    separator,
    minSecretBytes,
  } = stated.description;
  const header = `header:${headers.signature}`;
  const pairs = form.kind === "pairs" ? form : undefined;
  const timeAt = pairs ? `${header}#${pairs.timestamp}` : `header:${headers.timestamp ?? ""}`;
  return {
    secret: { where: "The sender's page", minBytes: minSecretBytes ?? 24 },
    signature: {
      algorithm: `hmac-${algorithm}`,
      key: "text",
      encoding,
      carrier: [
        pairs
          ? { at: header, separator: ",", pair: pairs.signature }
          : form.kind === "list"
            ? { at: header, separator: form.separator, prefix: form.prefix }
            : { at: header, ...(form.kind === "single" && form.prefix && { prefix: form.prefix }) },
      ],
      signed: parts.flatMap((part, index) =>
        index === 0 || separator === "" ? [part] : [{ text: separator }, part],
      ),
    },
    ...(headers.id !== undefined && { id: { at: `header:${headers.id}` } }),
    ...(parts.includes("timestamp") && {
      timestamp: { at: timeAt, unit: "s", toleranceSeconds: stated.toleranceSeconds },
    }),
  };
}
