import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import { hostOf, isLocalName } from "../harness/owned-host.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { printTime } from "../harness/signing.ts";
import { withQuery, words } from "./forged-operation.ts";
import { expectRefusedThenGenuine, receiverCheck } from "./receiver-check.ts";

const STALE = "R-VERIFY-STALE";
const AHEAD = "R-VERIFY-AHEAD";

/** Seconds by which an attempt is beyond or within the tolerance: clocks of two machines differ, and time passes. */
const MARGIN = 30;
const LOCAL_MARGIN = 10;
/** Time only makes an attempt older: on one machine, it is certainly too old by this much. */
const LOCAL_LATE = 2;

const [HOUR, DAY, YEAR] = [3600, 86_400, 86_400 * 365];

export const timestamps: ReceiverCheck = receiverCheck({
  id: "receiver/timestamps",
  title: "attempts outside the tolerance are refused, early or late, and those within are accepted",
  requirements: [STALE, AHEAD],
  needs: ["time"],
  run: async (kit) => {
    const { signing, target } = kit;
    const { toleranceSeconds: tolerance } = signing;
    const isHere = isLocalName(hostOf(target.sockets.url));
    const [margin, late] = isHere ? [LOCAL_MARGIN, LOCAL_LATE] : [MARGIN, MARGIN];
    const made = (what: string, timestamp: number): readonly Attempt[] =>
      signing.canWrite(timestamp, kit.secrets) ? [kit.attempt({ what, timestamp })] : [];
    const at = (seconds: number): readonly Attempt[] => {
      const what = seconds < 0 ? `of ${-seconds} s ago` : `from ${seconds} s ahead`;
      return made(`an attempt ${what}`, kit.seconds() + seconds);
    };

    // If the tolerance is smaller than the margin, only the present is certainly within it.
    const inner = Math.max(0, tolerance - margin);
    const within = tolerance < margin / 2 ? [] : [-inner, inner, 0];
    for (const { what, reply } of await kit.postAll(within.flatMap(at))) {
      const message = reply.insteadOf(`${what}: within ±${tolerance} s`);
      kit.expect(STALE, reply.isAcknowledged, message, reply);
    }
    await expectRefusedThenGenuine(kit, STALE, [
      ...[late, margin, 60, HOUR, YEAR].flatMap((seconds) => at(-seconds - tolerance)),
      // Without its hours or days, such an age is 0.
      ...[HOUR, DAY, YEAR].filter((age) => age > tolerance + margin).flatMap((age) => at(-age)),
      ...made("an attempt of the time 0", 0),
      ...attemptsWithTwoTimes(kit),
    ]);
    await expectRefusedThenGenuine(kit, AHEAD, [
      ...[margin, 60, HOUR, YEAR * 10].flatMap((seconds) => at(seconds + tolerance)),
      ...made("an attempt of the last second of the year 9999", 253_402_300_799),
    ]);
  },
});

/** Headers in which a receiver may look for the present. */
const TIME_HEADERS = words(`
  Date X-Date X-Timestamp Timestamp X-Request-Time X-Now X-Sent-At X-Webhook-Timestamp Webhook-Timestamp
  X-Signature-Timestamp X-Request-Timestamp X-Amz-Date`);

const printedTime = (name: string, seconds: number): string =>
  name === "Date" ? new Date(seconds * 1000).toUTCString() : String(seconds);

/** Stale attempts that carry a second time, wherever a receiver may read one of the two. */
function attemptsWithTwoTimes(kit: KitSender): readonly Attempt[] {
  const { signing } = kit;
  const old = signing.toleranceSeconds + HOUR;
  const stale = (what: string, change: (attempt: Attempt) => Partial<Attempt>): Attempt => {
    const timestamp = kit.seconds() - old;
    const attempt = kit.attempt({ timestamp, what: `an attempt of ${old} s ago ${what}` });
    return { ...attempt, ...change(attempt) };
  };
  const header = (what: string, name: string, value: string): Attempt =>
    stale(what, ({ headers }) => ({
      headers: [...headers.filter(([one]) => one !== name), [name, value]],
    }));

  const { at = "", unit = "s" } = signing.provider.timestamp ?? {};
  const now = String(printTime(kit.now(), unit));
  const elsewhere = [
    ...TIME_HEADERS.filter((name) => !signing.headers.includes(name.toLowerCase())).flatMap(
      (name) => [
        header(`with its own time in ${name}`, name, printedTime(name, kit.seconds() - old)),
        header(`with the present in ${name}`, name, printedTime(name, kit.seconds())),
      ],
    ),
    stale("with the present in the query", (one) =>
      withQuery(one, `timestamp=${now}&t=${now}&ts=${now}`),
    ),
    header("with the present in a cookie", "Cookie", `timestamp=${now}; t=${now}`),
  ];
  if (!at.startsWith("header:")) return elsewhere;

  const [name = "", pair] = at.slice("header:".length).split("#");
  const { equals = "=", separator = "," } = signing.provider.signature.carrier[0] ?? {};
  const second = pair === undefined ? now : pair + equals + now;
  const joined = (what: string, change: (value: string) => string): Attempt =>
    stale(what, (one) => signing.withPlace(one, `header:${name}`, change));
  return [
    ...elsewhere,
    stale(`with the present before it in a second ${name}`, ({ headers }) => ({
      headers: [[name, second], ...headers],
    })),
    stale(`with the present after it in a second ${name}`, ({ headers }) => ({
      headers: [...headers, [name, second]],
    })),
    joined("with the present before it in one header", (value) => second + separator + value),
    joined("with the present after it in one header", (value) => value + separator + second),
    ...[`X-${name}`, name.replaceAll("-", "_"), name.replace(/^[xX]-/, "")]
      .filter((other) => other !== name)
      .map((other) => header(`with the present in ${other}`, other, second)),
  ];
}
