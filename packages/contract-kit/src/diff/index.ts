export { diffDocuments, type DiffOptions } from "./diff-documents.ts";
export {
  type Change,
  diffRules,
  type Direction,
  type Rule,
  type RuleId,
  type Severity,
} from "./rules.ts";
