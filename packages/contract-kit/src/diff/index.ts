export {
  diffSchemas,
  directionByPath,
  type DiffOptions,
  type SeverityOverrides,
} from "./diff-schemas.ts";
export {
  diffRules,
  type Change,
  type Direction,
  type Rule,
  type RuleId,
  type Severity,
} from "./rules.ts";
export { openApiDirection, openApiSet } from "./openapi.ts";
