export { arbitrary } from "./arbitrary.ts";
export { boundaries, examples, type Labelled, negatives } from "./cases.ts";
export { example, type ExampleOptions } from "./example.ts";
export { errorsOf } from "./validity.ts";
export { matcher, type Matcher } from "./matcher.ts";
export { type LocatedSchema, schemaNamed, type SchemaSource, standardSchemas } from "./schema.ts";
