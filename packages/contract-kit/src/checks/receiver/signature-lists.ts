import type { Secret } from "@countersign/signatures";
import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { withHeader } from "../../harness/request.ts";
import { mustRefuse, receiverCheck } from "../../harness/play.ts";

const EACH = "R-VERIFY-EACH";
const VERSION = "R-VERIFY-VERSION";

/** Several signatures in one header, as they stand there while a secret or a scheme is replaced. */
export const signatureLists: ReceiverCheck = receiverCheck({
  id: "receiver/signature-lists",
  title: "each signature of a header is tried, and of a version that is not known none counts",
  requirements: [EACH, VERSION],
  play: async (bench) => {
    const { docket, signing } = bench;
    const { separator } = signing;
    if (separator === undefined) {
      docket.unseen(EACH, "the profile's scheme has one signature a header");
    } else {
      const [own] = bench.target.secrets;
      const strangers = ["one", "two", "three"].map(signing.stranger);
      const [one = "", two = ""] = strangers;
      const lists: readonly (readonly [string, readonly Secret[]])[] =
        own === undefined
          ? []
          : [
              ["the genuine signature after another", [one, own]],
              ["the genuine signature before another", [own, one]],
              ["the genuine signature between two others", [one, own, two]],
              ["the genuine signature after three others", [...strangers, own]],
            ];
      const attempts = lists.map(([, secrets]) => bench.attempt(bench.event(), { secrets }));
      await mustTake(bench, EACH, attempts, lists);
    }
    if (signing.isVersioned) await versions(bench, separator);
    else docket.unseen(VERSION, "the profile's scheme names no version");
  },
});

async function mustTake(
  { docket, postAll }: Bench,
  requirement: string,
  attempts: readonly Attempt[],
  cases: readonly (readonly [what: string, ...rest: unknown[]])[],
): Promise<void> {
  const replies = await postAll(attempts);
  cases.forEach(([what], index) => {
    const reply = replies[index];
    if (reply === undefined) return;
    docket.judge(
      requirement,
      reply.isAcknowledged,
      () => `${what}: to be taken, and ${reply.said} came`,
      () => [reply.exchange()],
    );
  });
}

/** A version's name, what divides it from its signature, and the signature. */
const VERSIONED = /([A-Za-z0-9]+)([,=])([A-Za-z0-9+/]{38,}={0,2})/;

async function versions(bench: Bench, separator: string | undefined): Promise<void> {
  const { signing } = bench;
  const changed = (change: (value: string) => string): Attempt => {
    const attempt = bench.attempt(bench.event());
    return { ...attempt, headers: withHeader(attempt.headers, signing.names.signature, change) };
  };
  const under = (version: string): Attempt =>
    changed((value) => value.replace(VERSIONED, `${version}$2$3`));
  const own = VERSIONED.exec(
    bench
      .attempt(bench.event())
      .headers.map(([, value]) => value)
      .join(" "),
  )?.[1];
  const others = ["v2", "v0", "v1b", "v10", own === "v1a" ? "v1" : "v1a", "V1"].filter(
    (version) => version !== own,
  );
  await mustRefuse(
    bench,
    VERSION,
    others.map((version) => ({
      what: `the genuine signature under ${version}`,
      attempt: under(version),
    })),
  );
  if (separator === undefined) return;
  const beside = (mark: string, isFirst: boolean): Attempt =>
    changed((value) => {
      const [, , divider = ","] = VERSIONED.exec(value) ?? [];
      const other = `${mark}${divider}Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=`;
      return (isFirst ? [other, value] : [value, other]).join(separator);
    });
  const lists = [
    ["a genuine signature after one of a version v9", "v9", true],
    ["a genuine signature before one of a version v9", "v9", false],
  ] as const;
  const attempts = lists.map(([, mark, isFirst]) => beside(mark, isFirst));
  await mustTake(bench, VERSION, attempts, lists);
}
