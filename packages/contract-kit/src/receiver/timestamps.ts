import type { ReceiverCheck } from "../check.ts";
import type { Attempt, AttemptOptions } from "../harness/attempt-maker.ts";
import { hostOf, isLocalName } from "../harness/owned-host.ts";
import type { Sender } from "../harness/sender.ts";
import { printTime } from "../harness/signing.ts";
import { withQuery } from "./forged-keys.ts";
import { expectRefused, type Forgery, receiverCheck } from "./receiver-check.ts";

const STALE = "R-VERIFY-STALE";
const AHEAD = "R-VERIFY-AHEAD";

/** Headers in which a receiver may look for the present. */
const MOMENTS = (
  "Date X-Date X-Timestamp Timestamp X-Request-Time X-Now X-Sent-At X-Webhook-Timestamp Webhook-Timestamp " +
  "X-Signature-Timestamp X-Request-Timestamp X-Amz-Date"
).split(" ");

const momentOf = (name: string, seconds: number): string =>
  name === "Date" ? new Date(seconds * 1000).toUTCString() : String(seconds);

/** A stale attempt that carries the present beside its signed time, wherever a receiver may read one of the two. */
function secondTimes(
  { signing, now: clock }: Sender,
  stale: (what: string) => Forgery,
): readonly Forgery[] {
  const { at = "", unit = "s" } = signing.provider.timestamp ?? {};
  const now = String(printTime(clock(), unit));
  const beside = (what: string, change: (attempt: Attempt) => Partial<Attempt>): Forgery => {
    const attempt = stale(`with the present ${what}`);
    return { ...attempt, ...change(attempt) };
  };
  const elsewhere = [
    beside("in the query", (one) => withQuery(one, `timestamp=${now}&t=${now}&ts=${now}`)),
    beside("in a cookie", ({ headers }) => ({
      headers: [...headers, ["Cookie", `timestamp=${now}; t=${now}`]],
    })),
  ];
  if (!at.startsWith("header:")) return elsewhere;
  const [name = "", pair] = at.slice("header:".length).split("#");
  const { equals = "=", separator = "," } = signing.provider.signature.carrier[0] ?? {};
  const second = pair === undefined ? now : pair + equals + now;
  const joined = (change: (value: string) => string) => (one: Attempt) =>
    signing.withPlace(one, `header:${name}`, change);
  return [
    ...elsewhere,
    beside(`before it in a second ${name}`, ({ headers }) => ({
      headers: [[name, second], ...headers],
    })),
    beside(`after it in a second ${name}`, ({ headers }) => ({
      headers: [...headers, [name, second]],
    })),
    beside(
      "before it in one header",
      joined((value) => second + separator + value),
    ),
    beside(
      "after it in one header",
      joined((value) => value + separator + second),
    ),
    ...[`X-${name}`, name.replaceAll("-", "_"), name.replace(/^[xX]-/, "")]
      .filter((other) => other !== name)
      .map((other) =>
        beside(`in ${other}`, ({ headers }) => ({ headers: [...headers, [other, second]] })),
      ),
  ];
}

/** Seconds by which an attempt is beyond or within the tolerance: clocks of two machines differ, and time passes. */
const MARGIN = 30;
const LOCAL_MARGIN = 10;

export const timestamps: ReceiverCheck = receiverCheck({
  id: "receiver/timestamps",
  title: "attempts outside the tolerance are refused, early or late, and those within are accepted",
  requirements: [STALE, AHEAD],
  inapplicable: ({ signing, provider: { title } }) =>
    signing.covers.timestamp ? undefined : `${title} signs no time`,
  run: async (sender) => {
    const { verdicts, signing, target } = sender;
    if (!signing.covers.timestamp) {
      for (const one of [STALE, AHEAD])
        verdicts.notApplicable(one, "the profile's scheme signs no time");
      return;
    }
    const tolerance = signing.toleranceSeconds;
    const isHere = isLocalName(hostOf(target.sockets.url));
    const margin = isHere ? LOCAL_MARGIN : MARGIN;
    // If the tolerance is smaller than the margin, only the present is certainly within it.
    const inner = Math.max(0, tolerance - margin);
    const at = (seconds: number): readonly Attempt[] => {
      const what = seconds < 0 ? `of ${-seconds} s ago` : `from ${seconds} s ahead`;
      return made(`an attempt ${what}`, sender.seconds() + seconds);
    };
    const made = (what: string, timestamp: number): readonly Attempt[] =>
      signing.canWrite(timestamp, sender.secrets) ? [sender.genuine({ what, timestamp })] : [];

    const old = tolerance + 3600;
    const aged = (what: string, more: (timestamp: number) => AttemptOptions): Forgery => {
      const timestamp = sender.seconds() - old;
      return sender.genuine({
        timestamp,
        ...more(timestamp),
        what: `an attempt of ${old} s ago ${what}`,
      });
    };

    const within = tolerance < margin / 2 ? [] : [-inner, inner, 0];
    for (const { what, reply } of await sender.postAll(within.flatMap(at)))
      verdicts.expect(
        STALE,
        reply.isAcknowledged,
        () => reply.insteadOf(`${what}: within ±${tolerance} s`),
        [reply],
      );
    await expectRefused(sender, STALE, [
      ...[-margin, -60, -3600, -86_400 * 365].flatMap((seconds) => at(seconds - tolerance)),
      ...made("an attempt of the time 0", 0),
      ...MOMENTS.flatMap((name) => [
        aged(`with its own time in ${name}`, (sent) => ({
          headers: [[name, momentOf(name, sent)]],
        })),
        ...(signing.headers.includes(name.toLowerCase())
          ? []
          : [
              aged(`with the present in ${name}`, () => ({
                headers: [[name, momentOf(name, sender.seconds())]],
              })),
            ]),
      ]),
      ...secondTimes(sender, (what) => aged(what, () => ({}))),
    ]);
    await expectRefused(sender, AHEAD, [
      ...[margin, 60, 3600, 86_400 * 365 * 10].flatMap((seconds) => at(seconds + tolerance)),
      ...made("an attempt of the last second of the year 9999", 253_402_300_799),
    ]);
  },
});
