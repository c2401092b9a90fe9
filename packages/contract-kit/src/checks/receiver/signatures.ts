import type { ReceiverCheck } from "../../check.ts";
import type { Attempt, Bench } from "../../harness/bench.ts";
import { withHeader, withSignature, type Header } from "../../harness/request.ts";
import { mustRefuse, type Forgery, receiverCheck } from "../../harness/play.ts";

const WHOLE = "R-VERIFY-WHOLE";
const CANONICAL = "R-VERIFY-CANONICAL";
const ONCE = "R-HEADER-ONCE";

/** Signatures that are parts of the genuine one, or it in another spelling, and headers that stand twice. */
export const signatures: ReceiverCheck = receiverCheck({
  id: "receiver/signatures",
  title: "a signature counts whole, in its one spelling, and in one header",
  requirements: [WHOLE, CANONICAL, ONCE],
  play: async (bench) => {
    const { docket } = bench;
    const { names, macBy } = bench.signing;
    const sample = macBy("any", { id: "any", timestamp: 1, body: Buffer.alloc(0) });
    const forged = (
      what: string,
      change: (headers: readonly Header[], attempt: Attempt) => readonly Header[],
    ): Forgery => {
      const attempt = bench.attempt(bench.event());
      return { what, attempt: { ...attempt, headers: change(attempt.headers, attempt) } };
    };
    const value = (what: string, change: (value: string) => string): Forgery =>
      forged(what, (headers) => withHeader(headers, names.signature, change));
    const part = (what: string, change: (signature: string) => string): Forgery =>
      value(what, (text) => withSignature(text, change));

    await mustRefuse(bench, WHOLE, [
      value("an empty header of the signature", () => ""),
      part("a signature of no characters", () => ""),
      part("a signature's first character", (text) => text.slice(0, 1)),
      part("a signature's first 8 characters", (text) => text.slice(0, 8)),
      part("a signature's first half", (text) => text.slice(0, (text.length >> 3) * 4)),
      part("a signature without its last bytes", (text) => text.slice(0, -4)),
      part("a signature without its first bytes", (text) => text.slice(4)),
      part("a signature's first 8 characters, and zeros", (text) => headAndZeros(text)),
      part("a signature with its first character changed", (text) => changedAt(text, 0)),
      part("a signature with a character in its middle changed", (text) =>
        changedAt(text, text.length >> 1),
      ),
      part("a signature with its last byte changed", (text) => changedAt(text, lastOf(text))),
      part("a signature of zeros", (text) => zeros(text)),
      part("a signature of as many spaces", (text) => " ".repeat(text.length)),
      ...(isHex(sample) ? [] : [part("a signature with its letters' case turned", turned)]),
    ]);

    const stranger = await bench.post(
      bench.attempt(bench.event(), { secrets: [bench.signing.stranger("signatures")] }),
    );
    if (docket.hasFailed(WHOLE) || stranger.isAcknowledged)
      docket.unseen(CANONICAL, "it takes signatures that are not genuine at all");
    else
      await mustRefuse(bench, CANONICAL, [
        ...spellings(sample).map(({ what, spell }) => part(what, spell)),
        ...timesOf(bench),
      ]);

    const twice = (name: string, other: string): readonly Forgery[] => [
      forged(`${name} twice, the genuine one first`, (headers) => [...headers, [name, other]]),
      forged(`${name} twice, the genuine one last`, (headers) => [[name, other], ...headers]),
    ];
    await mustRefuse(bench, ONCE, [
      ...twice(names.signature, foreign(bench.attempt(bench.event()), names.signature)),
      ...(names.id === undefined ? [] : twice(names.id, `${bench.event().id}x`)),
      ...(names.timestamp === undefined
        ? []
        : twice(names.timestamp, String(bench.seconds() - 10))),
    ]);
  },
});

/** Another attempt's signature, as its header has it. */
function foreign({ headers }: Attempt, name: string): string {
  return headers.find(([one]) => one.toLowerCase() === name)?.[1] ?? "";
}

function isHex(signature: string): boolean {
  return /^[0-9a-f]+$/.test(signature);
}

function zeros(signature: string): string {
  const { length } = Buffer.from(signature, "base64");
  return isHex(signature) ? "0".repeat(signature.length) : Buffer.alloc(length).toString("base64");
}

function headAndZeros(signature: string): string {
  return signature.slice(0, 8) + zeros(signature).slice(8);
}

/** Another character of the same alphabet in that place. */
function changedAt(signature: string, place: number): string {
  const before = signature[place] ?? "";
  const other = before === "0" ? "1" : before === "1" ? "0" : before === "b" ? "c" : "b";
  return signature.slice(0, place) + other + signature.slice(place + 1);
}

/** The last place whose bits all count: before the padding, and before what may fall away. */
function lastOf(signature: string): number {
  return signature.replace(/=+$/, "").length - 2;
}

function turned(signature: string): string {
  return signature.replaceAll(/[a-z]+|[A-Z]+/g, (letters) =>
    letters === letters.toUpperCase() ? letters.toLowerCase() : letters.toUpperCase(),
  );
}

interface Spelling {
  readonly what: string;
  readonly spell: (signature: string) => string;
}

/** Texts that a lax decoder reads as the same bytes. */
function spellings(sample: string): readonly Spelling[] {
  if (isHex(sample))
    return [{ what: "a signature in capital digits", spell: (text) => text.toUpperCase() }];
  const padding = /=*$/.exec(sample)?.[0].length ?? 0;
  const inner = (text: string): string => `${text.slice(0, 10)}!${text.slice(10)}`;
  return [
    ...(padding === 0
      ? []
      : [
          { what: "a signature without its padding", spell: withoutPadding },
          { what: "a signature with bits that do not count", spell: withOtherBits },
        ]),
    { what: "a signature with more after its end", spell: (text) => text + text },
    { what: "a signature with more padding", spell: (text) => `${text}=` },
    { what: "a signature with a character of no alphabet in it", spell: inner },
  ];
}

function withoutPadding(text: string): string {
  return text.replace(/=+$/, "");
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The last character's low bits fall away when it is decoded. */
function withOtherBits(text: string): string {
  const bare = withoutPadding(text);
  const last = ALPHABET.indexOf(bare.slice(-1));
  return `${bare.slice(0, -1)}${ALPHABET[last ^ 1] ?? ""}${text.slice(bare.length)}`;
}

/** Genuine signatures over times that only some languages read as numbers. */
function timesOf(bench: Bench): readonly Forgery[] {
  const { signing, target } = bench;
  const [secret] = target.secrets;
  const key = secret === undefined ? undefined : signing.keyOf(secret);
  const { withTime } = signing;
  if (key === undefined || withTime === undefined) return [];
  const now = bench.seconds();
  const digits = String(now);
  const spelt = [
    ["with a fraction", `${digits}.0`],
    ["with a sign", `+${digits}`],
    ["with a zero before it", `0${digits}`],
    ["as a power of ten", `${now / 1e9}e9`],
    ["in hexadecimal digits", `0x${now.toString(16)}`],
    ["with letters after it", `${digits}abc`],
    ["with a line between its digits", `${digits.slice(0, 4)}_${digits.slice(4)}`],
  ] as const;
  return spelt.map(([how, timestamp]) => {
    const event = bench.event();
    const attempt = bench.attempt(event);
    const mac = signing.macBy(key, { id: event.id, timestamp, body: event.body });
    const timed = withTime(attempt.headers, () => timestamp);
    const headers = withHeader(timed, signing.names.signature, (value) =>
      withSignature(value, () => mac),
    );
    return { what: `a time ${how}, genuinely signed`, attempt: { ...attempt, headers } };
  });
}
