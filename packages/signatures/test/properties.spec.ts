import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Attempt, type Part, schemeOf, signatureErrorCodes } from "../src/index.ts";
import { provider, type Sample, samples } from "./samples.ts";

const now = 1_790_000_000_000;
const url = "https://example.com/hooks?tenant=1";

/** A message that the sample's document can sign. */
const messageOf = ({ body }: Sample) =>
  fc.record({
    id: fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
    timestamp: fc.constant(now / 1000),
    method: fc.constant("POST"),
    url: fc.constant(url),
    body: (body === "form"
      ? fc
          .dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), { minKeys: 1 })
          .map((form) => new URLSearchParams(form).toString())
      : body === "items"
        ? fc
            .array(fc.record({ a: fc.string(), b: fc.integer() }, { requiredKeys: ["a"] }), {
              minLength: 1,
            })
            .map((items) => JSON.stringify({ items }))
        : fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.stringify(value))
    ).map((text) => new Uint8Array(Buffer.from(text))),
  });

describe.each(
  samples.map(
    (sample) => [JSON.stringify(sample.document.signature).slice(0, 90), sample] as const,
  ),
)("the scheme of %s", (_, sample) => {
  const scheme = schemeOf(sample.document);
  const { claims, sign, verify } = sample;
  const options = { now, claims };
  const runs = { numRuns: 12 };

  it("verifies what it signs, and refuses it with one byte changed or a day later", () => {
    fc.assert(
      fc.property(messageOf(sample), fc.nat(), (message, at) => {
        const signed = scheme.sign({ ...message, claims }, [sign]);
        const attempt = { ...message, ...signed };
        expect(scheme.verify(attempt, [verify], options)).toMatchObject({
          ok: true,
          secretIndex: 0,
        });

        const body = Uint8Array.from(attempt.body);
        body[at % body.length] = (body[at % body.length] ?? 0) ^ 1;
        const isWhole = scheme.covers("body:");
        if (isWhole) expect(scheme.verify({ ...attempt, body }, [verify], options).ok).toBe(false);
        const later = { ...options, now: now + 86_400_000 };
        expect(scheme.verify(attempt, [verify], later).ok).toBe(!scheme.replayProtection);
      }),
      runs,
    );
  });

  it("never throws for a genuine attempt that was changed on its way", () => {
    const fate = fc.constantFrom("kept", "kept", "kept", "dropped", "twice", "other", "longer");
    const junk = fc.oneof(fc.string(), fc.constantFrom(", v1,x", "\0", "é", "=", " v9,a", "1e9"));
    fc.assert(
      fc.property(
        messageOf(sample),
        fc.array(fate, { minLength: 4, maxLength: 4 }),
        junk,
        fc.option(fc.uint8Array(), { nil: undefined }),
        (message, fates, more, otherBody) => {
          const signed = { ...message, ...scheme.sign({ ...message, claims }, [sign]) };
          const sent = Object.entries(signed.headers).flatMap(([name, value], index) => {
            const is = fates[index % 4];
            if (is === "dropped") return [];
            if (is === "twice")
              return [name.toLowerCase(), name.toUpperCase()].map((one) => [one, value]);
            return [[name, is === "other" ? more : is === "longer" ? value + more : value]];
          });
          // Entries of two texts.
          const headers = Object.fromEntries(sent) as Record<string, string>;
          const attempt = { ...signed, headers, body: otherBody ?? signed.body };
          const verification = scheme.verify(attempt, [verify], options);
          if (!verification.ok) expect(signatureErrorCodes).toHaveProperty(verification.code);
          const checked = scheme.checkHeaders(headers);
          if (!checked.ok) expect(verification).toEqual(checked);
          else
            expect(scheme.verify({ ...attempt, checked }, [verify], options)).toEqual(verification);
        },
      ),
      runs,
    );
  });

  it("never throws and never accepts what a stranger sends", () => {
    const { carrier } = sample.document.signature;
    const names = carrier.map(({ at }) => at.slice(at.indexOf(":") + 1));
    const value = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.stringMatching(/^([vth0-9]{1,3}=[0-9a-f]{0,70}[,; ]){1,3}$/),
      fc.constant("1790000000"),
      fc.constant("eyJhbGciOiJIUzI1NiJ9.e30.AAAA"),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names, "x-time", "other"), value),
        fc.oneof(
          fc.uint8Array(),
          fc.json().map((text) => new Uint8Array(Buffer.from(text))),
        ),
        fc.option(fc.oneof(fc.webUrl(), fc.string()), { nil: undefined }),
        (headers, body, address) => {
          const attempt: Attempt = { headers, body, url: address, method: address };
          const verification = scheme.verify(attempt, [verify], options);
          expect(verification.ok).toBe(false);
          if (!verification.ok) expect(signatureErrorCodes).toHaveProperty(verification.code);
        },
      ),
      runs,
    );
  });
});

type Split = Readonly<Record<string, string>>;

/** Yields every way to cut a text into the parts of a document. */
function* splitsOf(parts: readonly Part[], text: string): Generator<Split> {
  const [part, ...rest] = parts;
  if (part === undefined) {
    if (text === "") yield {};
  } else if (typeof part !== "string") {
    const fixed = "text" in part ? part.text : "";
    if (text.startsWith(fixed)) yield* splitsOf(rest, text.slice(fixed.length));
  } else {
    // A time has ten digits at least, a URL begins with a scheme: other cuts would only take time.
    const from = part === "timestamp" ? 10 : part === "url" && text.startsWith("http") ? 8 : 1;
    for (let end = from; end <= text.length; end++)
      for (const others of splitsOf(rest, text.slice(end)))
        yield { ...others, [part]: text.slice(0, end) };
  }
}

const isCut = (part: Part): boolean =>
  typeof part === "string" ? part !== "secret" : "text" in part;
const cut = samples.filter(
  ({ document: { signature }, body }) =>
    body === undefined &&
    signature.algorithm.startsWith("hmac") &&
    (signature.signed?.length ?? 0) > 1 &&
    signature.signed?.every(isCut),
);

it.each(cut.map((sample) => [JSON.stringify(sample.document.signature.signed), sample] as const))(
  "A9: the signed text %s cannot be split at another place than the signed one",
  (_, { document, sign, verify }) => {
    const scheme = schemeOf(document);
    const { signed = [], join } = document.signature;
    const parts = signed.flatMap((part, index): Part[] =>
      index > 0 && join !== undefined ? [{ text: join }, part] : [part],
    );
    const piece = fc.constantFrom("1790000000", "1790000000000", ".", ":", "a", "0", "{}", "/x");
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
        // A body after a URL begins as JSON does.
        const text = `${signed.includes("url") ? "{}" : ""}${pieces.join("")}`;
        const message = { id: "msg1", method: "POST", url: "https://a.b/c" };
        const body = Buffer.from(text);
        const genuine = scheme.sign({ ...message, timestamp: now / 1000, body }, [sign]);
        const times = [String(now / 1000), String(now), new Date(now).toISOString()];
        const inHeaders = JSON.stringify(genuine.headers);
        const sent = times.findLast((time) => inHeaders.includes(time)) ?? "";
        const whole: Split = { ...message, timestamp: sent, body: text };
        const all = parts.map((part) =>
          typeof part === "string" ? (whole[part] ?? "") : "text" in part ? part.text : "",
        );
        const accepted = [...splitsOf(parts, all.join(""))].filter((split) => {
          const { id = "", timestamp = "", body: bytes = "", ...request } = split;
          const headers = Object.fromEntries(
            Object.entries(genuine.headers).map(([name, value]) => [
              name,
              value === message.id ? id : value.replace(sent, timestamp),
            ]),
          );
          const attempt = { headers, body: Buffer.from(bytes), ...request };
          return scheme.verify(attempt, [verify], { now, toleranceSeconds: 86_400 }).ok;
        });
        expect(accepted).toHaveLength(1);
        expect(accepted[0]).toMatchObject({ body: text });
      }),
      { numRuns: 10 },
    );
  },
);

it("a value that is signed if it is present is refused if it is not text, a number or a boolean", () => {
  const scheme = schemeOf(
    provider(
      {
        signed: [{ at: "body:/id" }, { ifPresent: "body:/note", parts: [{ at: "body:/note" }] }],
        ambiguous: "a",
      },
      { authentic: ["body:/id", "body:/note"] },
    ),
  );
  const secrets = ["0123456789abcdefghijklmn"];
  const signed = scheme.sign({ body: Buffer.from('{"id":"a"}') }, secrets);
  const verify = (body: string) =>
    scheme.verify({ ...signed, body: Buffer.from(body) }, secrets, { now });
  expect(verify('{"id":"a"}').ok).toBe(true);
  expect(verify('{"id":"a","note":null}').ok).toBe(true);
  for (const note of ['{"unsigned":true}', "[1]"])
    expect(verify(`{"id":"a","note":${note}}`)).toMatchObject({ ok: false });
});
