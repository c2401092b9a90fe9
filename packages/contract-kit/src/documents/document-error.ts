/** Codes are never renamed. */
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
