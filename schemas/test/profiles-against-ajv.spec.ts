import { validateProfile } from "@countersign/schemas/profile-validator";
import { profiles } from "@countersign/schemas/profiles";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, it } from "vitest";
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

type Members = Readonly<Record<string, unknown>>;

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

/** As `binary` of fast-check, which takes seconds to build: every code point but surrogates. */
const character = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));
const values = [undefined, null, true, "", "x", "hmac", "list", "pairs", -1, 0, 0.5, 1e12, {}, []];
const others = fc.oneof(
  fc.constantFrom(...values),
  fc.string({ unit: character, maxLength: 300 }),
  fc.array(fc.constant("id"), { maxLength: 5 }),
);
const places = Object.values(profiles).flatMap((profile) => placesOf(profile));
const changes: fc.Arbitrary<Change> = fc.record({
  at: fc
    .tuple(fc.constantFrom(...places), fc.option(fc.constantFrom("unknown", "scheme", "0")))
    .map(([place, more]) => (more === null ? place : [...place, more])),
  to: others,
});
const broken = fc
  .tuple(
    fc.constantFrom(...Object.values(profiles)),
    fc.array(changes, { minLength: 1, maxLength: 3 }),
  )
  .map(([profile, list]) => list.reduce<unknown>(changed, structuredClone(profile)));

it("the validator of profiles finds the faults that Ajv finds in broken profiles, by the same keywords", () => {
  fc.assert(
    fc.property(broken, (document) => {
      judged(document);
      const theirs = (judged.errors ?? []).map(({ keyword, instancePath, params }) => {
        const { missingProperty, additionalProperty, tag, error } = params as Members;
        const member = missingProperty ?? additionalProperty ?? tag;
        const escaped = String(member).replaceAll("~", "~0").replaceAll("/", "~1");
        const pointer = member === undefined ? instancePath : `${instancePath}/${escaped}`;
        const discriminated = error === "mapping" ? "enum" : "required";
        return `${pointer} ${keyword === "discriminator" ? discriminated : keyword}`;
      });
      const ours = errorsOf(validateProfile, document);
      expect(ours.map(({ pointer, keyword }) => `${pointer} ${keyword}`).toSorted()).toEqual(
        theirs.toSorted().slice(0, 100),
      );
    }),
    { numRuns: 150 },
  );
});
