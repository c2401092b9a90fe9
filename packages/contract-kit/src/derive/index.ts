export { arbitrary } from "./arbitrary.ts";
export {
  boundaries,
  coverage,
  negatives,
  pointsOf,
  type Coverage,
  type Labelled,
} from "./cases.ts";
export { example, examples, matcher, type ExampleOptions, type Matcher } from "./example.ts";
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
