export { arbitrary } from "./arbitrary.ts";
export {
  boundaries,
  coverage,
  negatives,
  pointsOf,
  type Coverage,
  type Labelled,
} from "./cases.ts";
export { example, examples, type ExampleOptions } from "./example.ts";
export { matcher, type Matcher } from "./matcher.ts";
export {
  OutsideSubsetError,
  readSchema,
  readSchemaSet,
  schemaSet,
  standardSchemas,
  type LocatedSchema,
  type Schema,
  type SchemaSet,
} from "./schema.ts";
