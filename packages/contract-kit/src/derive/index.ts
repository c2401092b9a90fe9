export { arbitrary, notGenerated } from "./arbitrary.ts";
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
  type LocatedSchema,
  readSchemaSet,
  type SchemaSet,
  schemaSet,
  type SchemaSource,
  standardSchemas,
} from "./schema.ts";
