/**
 * Codes are never renamed.
 *
 * - `CS_DOCUMENT_UNREADABLE`: the file is not there, or is neither JSON nor YAML; the message has the line.
 * - `CS_DOCUMENT_UNSUPPORTED`: the file is neither OpenAPI 3.0 to 3.2 nor AsyncAPI 2 or 3.
 * - `CS_DOCUMENT_TOO_LARGE`: the document has more than 32 MiB with the files it refers to, a file of YAML more than
 *   10 MiB, more than 1,000,000 schemas, schemas nested more than 400 deep, or a chain of some hundred that refer to the next.
 * - `CS_DOCUMENT_INVALID`: a schema is expected at the place, and something else is there, or one of its keywords has
 *   a value that JSON Schema does not allow.
 * - `CS_DOCUMENT_REFERENCE_REMOTE`: a `$ref` names another host. Download the file, and refer to it by a relative
 *   path.
 * - `CS_DOCUMENT_REFERENCE_OUTSIDE`: a `$ref` leads out of the folder of the document, and out of the git repository that the
 *   folder is in.
 * - `CS_DOCUMENT_REFERENCE_DANGLING`: a `$ref` or a discriminator's mapping leads nowhere.
 * - `CS_DOCUMENT_REFERENCE_CIRCULAR`: a `$ref` or `allOf` leads back to itself. A schema may contain itself in a
 *   member or an item.
 * - `CS_DOCUMENT_NO_EVENTS`: the document has no `webhooks`, `x-webhooks`, callbacks or messages.
 * - `CS_DOCUMENT_NO_VALUE`: no value was found that a schema accepts: it contradicts itself, contains itself without
 *   an end, needs a text or list above 100,000 characters or items, or is described by keywords that values cannot be
 *   made from.
 */
export type DocumentErrorCode =
  | "CS_DOCUMENT_UNREADABLE"
  | "CS_DOCUMENT_UNSUPPORTED"
  | "CS_DOCUMENT_TOO_LARGE"
  | "CS_DOCUMENT_INVALID"
  | "CS_DOCUMENT_REFERENCE_REMOTE"
  | "CS_DOCUMENT_REFERENCE_OUTSIDE"
  | "CS_DOCUMENT_REFERENCE_DANGLING"
  | "CS_DOCUMENT_REFERENCE_CIRCULAR"
  | "CS_DOCUMENT_NO_EVENTS"
  | "CS_DOCUMENT_NO_VALUE";

/** A document cannot be used. The message is one sentence with the file and the place. */
export class DocumentError extends Error {
  readonly code: DocumentErrorCode;
  constructor(code: DocumentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DocumentError";
    this.code = code;
  }
}
