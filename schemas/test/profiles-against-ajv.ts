import { validateProfile } from "@countersign/schemas/profile-validator";
import { profiles } from "@countersign/schemas/profiles";
import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorsOf, files } from "./schema-files.ts";

// A second judge of the same schema: Ajv, with its own reading of each keyword.
const ajv = new Ajv({
  allErrors: true,
  discriminator: true,
  strict: false,
  validateFormats: false,
});
const { $schema: _, ...schema } = files.find(({ title }) => title === "Profile")?.schema ?? {};
const judged = ajv.compile(schema);

/** Every place of a profile, as the members that lead there. */
function placesOf(value: unknown, at: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, child]) => placesOf(child, [...at, name]))];
}

type Change = { readonly at: readonly string[]; readonly to: unknown };

function changed(value: unknown, { at: [name, ...at], to }: Change): unknown {
  if (name === undefined || typeof value !== "object" || value === null) return to;
  const copy: Record<string, unknown> = { ...value };
  const next = changed(copy[name], { at, to });
  if (next === undefined) delete copy[name];
  else copy[name] = next;
  return Array.isArray(value) ? Object.values(copy) : copy;
}

const others = fc.oneof(
  fc.constantFrom(
    undefined,
    null,
    true,
    "",
    "x",
    "hmac",
    "list",
    "pairs",
    -1,
    0,
    0.5,
    1e12,
    {},
    [],
  ),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.array(fc.constant("id"), { maxLength: 5 }),
);
const places = Object.values(profiles).flatMap((profile) => placesOf(profile));
const changes: fc.Arbitrary<Change> = fc.record({
  at: fc
    .tuple(fc.constantFrom(...places), fc.option(fc.constantFrom("unknown", "scheme", "0")))
    .map(([place, more]) => (more === null ? place : [...place, more])),
  to: others,
});

/** Holds the check of a profile against Ajv's, in so many profiles that are broken at random. */
export function profilesAgainstAjv(numRuns: number): void {
  describe("the check of a profile", () => {
    it("finds as many faults as Ajv finds in the same document, of the same keywords", () => {
      fc.assert(
        fc.property(
          fc.constantFrom(...Object.values(profiles)),
          fc.array(changes, { minLength: 1, maxLength: 3 }),
          (profile, list) => {
            const document = list.reduce<unknown>(changed, structuredClone(profile));
            judged(document);
            const theirs = (judged.errors ?? []).map(({ keyword, instancePath, params }) => {
              const { missingProperty, additionalProperty, tag } = params as Record<
                string,
                unknown
              >;
              const member = missingProperty ?? additionalProperty ?? tag;
              const escaped = String(member).replaceAll("~", "~0").replaceAll("/", "~1");
              const pointer = member === undefined ? instancePath : `${instancePath}/${escaped}`;
              const discriminated = params["error"] === "mapping" ? "enum" : "required";
              return `${pointer} ${keyword === "discriminator" ? discriminated : keyword}`;
            });
            const ours = errorsOf(validateProfile, document);
            expect(ours.map(({ pointer, keyword }) => `${pointer} ${keyword}`).toSorted()).toEqual(
              theirs.toSorted().slice(0, 100),
            );
          },
        ),
        { numRuns },
      );
    });
  });
}
