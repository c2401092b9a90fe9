import { isUtf8 } from "node:buffer";
import type { HttpAnswer, HttpCall } from "./http-send.ts";

/**
 * A request and its response, as text that `shownBytes` made: printable, at most a few kilobytes, and
 * without a secret. `received` is empty if no answer arrived.
 */
export interface Exchange {
  readonly sent: string;
  readonly received: string;
}

export interface RecordedCall {
  readonly url: string;
  readonly call: HttpCall;
  /** `undefined` if no answer came. */
  readonly answer: HttpAnswer | undefined;
}

/** Characters that are shown; bytes after them are counted. */
const SHOWN = 2048;

/**
 * Bytes of the wire as text that a terminal, a page and a file can show: UTF-8 unchanged, all else escaped, and every
 * byte above 7f if the whole is not UTF-8. `\r\n` is a line break; any other line break is also escaped, since it
 * may be the fault. A backslash is doubled, so that the text is read in one way.
 */
export function shownBytes(bytes: Uint8Array | string): string {
  const all = Buffer.from(bytes);
  const encoding = isUtf8(all) ? "utf8" : "latin1";
  const text = all.toString(encoding).slice(0, SHOWN);
  const more = all.length - Buffer.byteLength(text, encoding);
  const isText = encoding === "utf8";
  const shown = text
    .split("\r\n")
    .map((line) =>
      line.replaceAll(isText ? UNSHOWN : UNSHOWN_BYTES, (one) => {
        const code = (one.codePointAt(0) ?? 0).toString(16);
        return NAMED[one] ?? (isText || one < "\x80" ? `\\u{${code}}` : `\\x${code}`);
      }),
    )
    .join("\n");
  return more === 0 ? shown : `${shown}\n… ${String(more)} more bytes`;
}

/** Backslashes, controls, what turns the writing direction, separators, and what has no form. */
const UNSHOWN = /[\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Co}\p{Cs}]/gu;
const UNSHOWN_BYTES = /[\\\p{Cc}\x80-\xff]/gu;

const NAMED: Readonly<Record<string, string>> = {
  "\n": "\\n\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
};
