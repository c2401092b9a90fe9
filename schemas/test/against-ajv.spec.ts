import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, it } from "vitest";
import { compileStandalone, type JsonSchema } from "../../packages/cli/src/types/standalone.ts";
import * as helpers from "../src/validation.ts";

type SchemaError = helpers.SchemaError;
type Schemas = Readonly<Record<string, JsonSchema>>;
/** Runs the printed functions with what validation.ts exports. */
function compiled(schemas: Schemas): helpers.Validator<unknown> {
  const { code, checkOf } = compileStandalone(schemas, ["Main"], "writer");
  const text = `${code}\nreturn validator(${checkOf("Main")});`;
  // oxlint-disable-next-line no-implied-eval -- the printed module's own code
  const make = new Function(...Object.keys(helpers), text) as (
    ...values: readonly unknown[]
  ) => helpers.Validator<unknown>;
  return make(...Object.values(helpers));
}

// Names and values that look like the code around them.
const TEXTS = [
  ..."id errors vErrors instancePath data schema1 parentData a/b~c kind".split(" "),
  'const err0 = {instancePath,schemaPath:"1",keyword:"2"',
  "export const check0 = process;",
  'require("ajv/dist/runtime/ucs2length").default;',
  '"\\',
  "*/`${data}\u2028",
  "\u{1F600}",
  "",
];
const texts = fc.constantFrom(...TEXTS);
const names = texts.filter((text) => text !== "");
const named = <T>(member: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.dictionary(names, member, { maxKeys: 12, noNullPrototype: true });
const sizes = fc.record({ least: fc.nat(2), most: fc.integer({ min: 1, max: 30 }) });

const { schema } = fc.letrec<{ schema: JsonSchema; object: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    sizes.map(({ least, most }) => ({ type: "string", minLength: least, maxLength: most })),
    sizes.map(({ least, most }) => ({ type: "integer", minimum: least, maximum: most })),
    fc.constantFrom<JsonSchema>(
      { type: ["string", "null"], pattern: '^[a-z"]*$' },
      { type: "string", format: "uri" },
      { $ref: "Shared" },
      { $ref: "Main" },
    ),
    texts.map((only) => ({ const: only })),
    fc.uniqueArray(fc.oneof(texts, fc.nat(3)), { minLength: 1 }).map((list) => ({ enum: list })),
    tie("schema").map((items) => ({ type: "array", items, maxItems: 2 })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.array(tie("object"), { minLength: 1, maxLength: 3 }).map((kinds) => ({
      type: "object",
      discriminator: { propertyName: "kind" },
      oneOf: kinds.map(({ properties, ...kind }, index) => ({
        ...kind,
        required: ["kind"],
        properties: { ...(properties as object), kind: { const: TEXTS[index] } },
      })),
    })),
    tie("object"),
  ),
  object: fc.record({
    type: fc.constant("object"),
    properties: named(tie("schema")),
    required: fc.uniqueArray(names, { maxLength: 4 }),
    additionalProperties: fc.boolean(),
  }),
}));

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    texts,
    fc.constantFrom<unknown>(null, true, 1.5, -1, 7, 1e9, "https://a.test"),
    named(tie("value")),
    fc.array(tie("value"), { maxLength: 3 }),
  ),
}));

const lines = (errors: readonly SchemaError[]): string[] =>
  errors.map(({ pointer, keyword }) => `${pointer} ${keyword}`);

/** Ajv's errors as validators report them. */
function expected(schemas: Schemas): (one: unknown) => string[] {
  const formats = { uri: helpers.isHttpUrl };
  const ajv = new Ajv({ allErrors: true, discriminator: true, strict: false, formats });
  for (const [name, one] of Object.entries(schemas)) ajv.addSchema(one, name);
  return (one) => {
    if (ajv.validate("Main", one)) return [];
    return (ajv.errors ?? []).map(({ keyword, instancePath, params }) => {
      const { missingProperty, additionalProperty, tag, tagValue } = params as Readonly<
        Record<string, string | undefined>
      >;
      const member = missingProperty ?? additionalProperty ?? tag;
      const step = member?.replaceAll("~", "~0").replaceAll("/", "~1");
      const own = tagValue === undefined ? "required" : "enum";
      return `${instancePath}${step === undefined ? "" : `/${step}`} ${keyword === "discriminator" ? own : keyword}`;
    });
  };
}

it("A24: a compiled validator finds the errors that Ajv finds, whatever members and values are called", () => {
  const values = fc.array(value, { minLength: 20, maxLength: 20 });
  fc.assert(
    fc.property(schema, schema, values, (main, shared, list) => {
      // Each consumes a step of the value, so that references end.
      const within = (one: JsonSchema): JsonSchema => ({ type: "object", properties: { id: one } });
      const schemas = { Main: within(main), Shared: within(shared) };
      const check = compiled(schemas);
      const oracle = expected(schemas);
      for (const one of [...list, ...list.map((id) => ({ id }))]) {
        const checked = check(one);
        const errors = checked.ok ? [] : checked.errors;
        const [ours, theirs] = [lines(errors), oracle(one)];
        // Of a value that has no form of `anyOf`, the errors of one form are reported.
        const isUnion = theirs.some((line) => line.endsWith(" anyOf"));
        expect(theirs).toEqual(isUnion ? expect.arrayContaining(ours) : ours);
        expect(ours.length > 0).toBe(theirs.length > 0);
      }
    }),
    { numRuns: 20 },
  );
});
