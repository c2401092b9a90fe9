/**
 * - `CS_LIST_UNSUPPORTED`: the provider's document has no list of events, or its items have no bodies that could be handled.
 * - `CS_LIST_URL`: the list's address is incomplete, or neither https nor http on this machine.
 * - `CS_LIST_RANGE`: the provider, or the inbox, has forgotten events of that time.
 * - `CS_LIST_REFUSED`: the provider refused the request: its token, its rights or a parameter is wrong.
 * - `CS_LIST_REDIRECTED`: an answer or a link leads to another host, which must not get the token.
 * - `CS_LIST_UNAVAILABLE`: no answer, 429 or a status of 500 or more, five times in a row, after the waits that it asked for.
 * - `CS_LIST_UNREADABLE`: the page is not what the provider's document describes, such as an event without an id.
 * - `CS_LIST_REPEATED`: a page came twice, or 100,000 pages were read: the list would never end.
 */
export type ListErrorCode =
  | "CS_LIST_UNSUPPORTED"
  | "CS_LIST_URL"
  | "CS_LIST_RANGE"
  | "CS_LIST_REFUSED"
  | "CS_LIST_REDIRECTED"
  | "CS_LIST_UNAVAILABLE"
  | "CS_LIST_UNREADABLE"
  | "CS_LIST_REPEATED";

/** A provider's list of events that cannot be read to its end. Its message begins with the code and has no token. */
export class ListError extends Error {
  readonly code: ListErrorCode;

  constructor(code: ListErrorCode, text: string, options?: ErrorOptions) {
    super(`${code}: ${text}`, options);
    this.code = code;
  }
}
