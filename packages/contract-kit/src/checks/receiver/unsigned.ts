import type { ReceiverCheck } from "../../check.ts";
import { withHeader, without, type Header } from "../../harness/request.ts";
import { type Forgery, mustRefuse, receiverCheck } from "../../harness/play.ts";

const UNSIGNED = "R-VERIFY-UNSIGNED";

/** What anyone can post who has no secret. */
export const unsigned: ReceiverCheck = receiverCheck({
  id: "receiver/unsigned",
  title: "an attempt without a signature, or without what it signs, is refused",
  requirements: [UNSIGNED],
  play: async (bench) => {
    const { names } = bench.signing;
    const all = Object.values(names).filter((name) => name !== undefined);
    const forged = (
      what: string,
      change: (headers: readonly Header[]) => readonly Header[],
    ): Forgery => {
      const attempt = bench.attempt(bench.event());
      return { what, attempt: { ...attempt, headers: change(attempt.headers) } };
    };
    const word = (text: string) => (headers: readonly Header[]) =>
      withHeader(headers, names.signature, () => text);
    await mustRefuse(bench, UNSIGNED, [
      forged("an attempt without any header of the scheme", (headers) => without(headers, all)),
      ...all.map((name) =>
        forged(`an attempt without ${name}`, (headers) => without(headers, [name])),
      ),
      forged("an attempt with the headers of another name", (headers) =>
        headers.map(([name, value]) => [
          all.includes(name.toLowerCase()) ? `x-${name}` : name,
          value,
        ]),
      ),
      forged("a word in the place of the signature", word("undefined")),
      forged("a word and a comma in the place of the signature", word("none,")),
    ]);
  },
});
