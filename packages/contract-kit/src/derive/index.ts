export { arbitrary } from "./arbitrary.ts";
export { boundaries, coverage, pointsOf, type Coverage } from "./boundary.ts";
export { example, examples, matcher, type ExampleOptions, type Matcher } from "./example.ts";
export type { Labelled } from "./faults.ts";
export { negatives } from "./negative.ts";
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
