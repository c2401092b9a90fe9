import type { ReceiverCheck } from "../../check.ts";
import { without, withHeader, withSignature } from "../headers.ts";
import { mustRefuse } from "../must-refuse.ts";
import { receiverCheck } from "../play.ts";
import type { Header } from "../wire/request.ts";

const UNSIGNED = "R-VERIFY-UNSIGNED";

/** What anyone can post who has no secret: nothing, or something that is none. */
export const unsigned: ReceiverCheck = receiverCheck({
  id: "receiver/unsigned",
  title: "an attempt without a whole signature is refused",
  requirements: [UNSIGNED],
  play: async (bench) => {
    const { names } = bench.signing;
    const all = Object.values(names).filter((name) => name !== undefined);
    const forged = (what: string, change: (headers: readonly Header[]) => readonly Header[]) => {
      const attempt = bench.attempt(bench.event());
      return { what, attempt: { ...attempt, headers: change(attempt.headers) } };
    };
    const signature = (change: (value: string) => string) => (headers: readonly Header[]) =>
      withHeader(headers, names.signature, change);
    const part = (change: (value: string) => string) =>
      signature((value) => withSignature(value, change));
    const missing = [names.id, names.timestamp].filter((name) => name !== undefined);

    await mustRefuse(bench, UNSIGNED, [
      forged("an attempt without any header of the scheme", (headers) => without(headers, all)),
      forged(`an attempt without ${names.signature}`, (headers) =>
        without(headers, [names.signature]),
      ),
      ...missing.map((name) =>
        forged(`an attempt without ${name}`, (headers) => without(headers, [name])),
      ),
      forged(
        "an empty header of the signature",
        signature(() => ""),
      ),
      forged(
        "a signature of no characters after its version",
        part(() => ""),
      ),
      forged(
        "a signature's first 8 characters",
        part((value) => value.slice(0, 8)),
      ),
      forged(
        "a signature without its last byte",
        part((value) => value.slice(0, -4)),
      ),
      forged(
        "a signature of zeros",
        part((value) => zeros(value)),
      ),
      forged(
        "a signature that is repeated in itself",
        part((value) => value + value),
      ),
      forged(
        "a word in the place of the signature",
        signature(() => "undefined"),
      ),
      forged(
        "a signature of as many spaces",
        part((value) => " ".repeat(value.length)),
      ),
    ]);
  },
});

/** As long, and of no bits. */
function zeros(signature: string): string {
  const isHex = /^[0-9a-f]+$/.test(signature);
  return isHex
    ? "0".repeat(signature.length)
    : Buffer.alloc(Buffer.from(signature, "base64").length).toString("base64");
}
