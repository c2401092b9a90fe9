import type { ServerResponse } from "node:http";

/** What a call comes to. */
export interface Answer {
  readonly status: number;
  /** Written with `JSON.stringify`. */
  readonly body: object;
  /** Default `application/json`. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Writes an answer. Nothing of this interface may be stored on its way: it is personal data and tokens. */
export function writeAnswer(
  response: ServerResponse,
  { status, body, mediaType = "application/json", headers = {} }: Answer,
): void {
  writeText(response, { status, text: JSON.stringify(body), mediaType, headers });
}

export interface TextAnswer extends Pick<Answer, "status" | "headers"> {
  readonly text: string;
  readonly mediaType: string;
}

/** Writes an answer that is text already. */
export function writeText(
  response: ServerResponse,
  { status, text, mediaType, headers = {} }: TextAnswer,
): void {
  response.statusCode = status;
  response.setHeader("content-type", mediaType);
  response.setHeader("content-length", Buffer.byteLength(text));
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(text);
}
