import type { Profile } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { asyncApiOf } from "../../src/documents/asyncapi.ts";
import { schemas } from "../../src/documents/generated/schemas.ts";

/** What the parser of AsyncAPI's own project says of the document of each profile; it takes a second for each. */
export function asyncApiSuite(profiles: readonly [name: string, profile: Profile][]): void {
  describe("/asyncapi.json", () => {
    it.each(profiles)(
      "is AsyncAPI 3.0 without a fault under the profile %s",
      async (_, profile) => {
        const { Parser } = await import("@asyncapi/parser");
        const { document, diagnostics } = await new Parser().parse(
          JSON.stringify(asyncApiOf(profile, schemas)),
        );
        const faults = diagnostics.filter(({ severity }) => `${severity}` <= "1");
        expect(faults.map(({ message, path }) => [message, path.join("/")])).toEqual([]);
        expect(document?.version()).toBe("3.0.0");
        const messages = document?.messages().all() ?? [];
        const types = new Set(profile.catalogue.map(({ type }) => type));
        expect(new Set(messages.map((message) => message.name()))).toEqual(types);
      },
    );
  });
}
