export { DocumentError, type DocumentErrorCode } from "./document-error.ts";
export {
  type JsonSchema,
  namedTypes,
  nameOf,
  partsOf,
  referenceTo,
  resolved,
  typesOf,
  valuesOf,
} from "./json-schema.ts";
export {
  type DocumentedEvent,
  type DocumentPart,
  type EventsDocument,
  type ReadOptions,
  readDocument,
} from "./read-document.ts";
export {
  describedData,
  type EventForm,
  typedForms,
  type TypedForm,
  withEvents,
} from "./typed-events.ts";
