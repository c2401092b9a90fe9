import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Attempt, schemeOf, signatureErrorCodes } from "../src/index.ts";
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
    (sample) =>
      [
        `${sample.document.name} ${JSON.stringify(sample.document.signature)}`.slice(0, 90),
        sample,
      ] as const,
  ),
)("the scheme of %s", (_, sample) => {
  const scheme = schemeOf(sample.document);
  const { claims, sign, verify } = sample;
  const options = { now, claims };

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
      { numRuns: 10 },
    );
  });

  it("never throws and never accepts what a stranger sends", () => {
    const names = ["header:x-signature", "header:authorization", "header:x-time"]
      .filter((name) => name.startsWith("header:"))
      .map((name) => name.slice("header:".length).split("#")[0] ?? "");
    const value = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.stringMatching(/^([vth0-9]{1,3}=[0-9a-f]{0,70}[,; ]){1,3}$/),
      fc.constant("1790000000"),
      fc.constant("eyJhbGciOiJIUzI1NiJ9.e30.AAAA"),
    );
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names, "other"), value),
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
      { numRuns: 25 },
    );
  });
});

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
