export { DocumentError, type DocumentErrorCode } from "./document-error.ts";
export { type JsonSchema, nameOf, partsOf, referenceTo, resolved, typesOf } from "./json-schema.ts";
export {
  type DocumentedEvent,
  type DocumentPart,
  type EventsDocument,
  type ReadOptions,
  readDocument,
} from "./read-document.ts";
export type { IgnoredKeyword } from "./schema-normaliser.ts";
