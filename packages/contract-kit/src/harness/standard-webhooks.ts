import type { Profile } from "@countersign/schemas";
import { profiles } from "@countersign/schemas/profiles";
import type { Samples } from "./events.ts";
import { readFolder } from "./samples.ts";

/**
 * The events of any sender that signs by Standard Webhooks: the id in the header, `type`, `timestamp` and
 * `data` in the body.
 *
 * @param folder The user's events as `*.json`, each of a different type; default: two plain ones.
 * @throws {TypeError} A file is no JSON object with a `type`; the message is a sentence that names it.
 */
export function standardWebhooksEvents(folder?: string): {
  readonly profile: Profile;
  readonly samples: Samples;
} {
  const plain: readonly Readonly<Record<string, unknown>>[] = [
    "example.created",
    "example.updated",
  ].map((type) => ({ type, data: { id: "1" } }));
  const events = folder === undefined ? plain : readFolder(folder);
  const samples = new Map<string, Readonly<Record<string, unknown>>[]>();
  for (const event of events) {
    const { type } = event;
    if (typeof type !== "string" || !/^[A-Za-z0-9_.-]{1,128}$/.test(type))
      throw new TypeError(`each sample needs a "type" of letters, digits and ._-`);
    // Every event gets a new time.
    const { timestamp: _, ...rest } = event;
    samples.set(type, [...(samples.get(type) ?? []), rest]);
  }
  return {
    samples,
    profile: {
      ...profiles.standard,
      name: "standard-webhooks",
      signature: { scheme: "standard-webhooks", toleranceSeconds: 300 },
      envelope: { id: "/id", type: "/type", timestamp: "/timestamp", data: "/data" },
      catalogue: [...samples.keys()].map((type) => ({
        type,
        category: "EVENT",
        resource: "/data/id",
      })),
    },
  };
}
