import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type HeadersLike, signatureErrorCodes, standardWebhooks } from "../../src/stated/index.ts";
import { messages, pairs, strangers } from "./arbitraries.ts";
import { now, NOW_SECONDS, SECRET, signed } from "./attempts.ts";

describe.each(pairs.map((pair) => ({ name: pair.scheme.name, ...pair })))(
  "any message signed with $name",
  ({ scheme, signing, verifying }) => {
    it("verifies, but is refused if a byte of the body is changed, added or removed", () => {
      const change = fc.record({
        at: fc.nat(),
        byte: fc.integer({ min: 1, max: 255 }),
        taken: fc.integer({ min: 0, max: 1 }),
        added: fc.integer({ min: 0, max: 1 }),
      });

      fc.assert(
        fc.property(messages, change, (message, { at, byte, taken, added }) => {
          const attempt = signed(scheme, signing, message);
          const place = message.body.length === 0 ? 0 : at % message.body.length;
          const changed = [...message.body];
          const other = (changed[place] ?? 0) ^ byte;
          changed.splice(place, taken, ...Array.from({ length: added }, () => other));
          const isSame = Buffer.compare(Buffer.from(changed), message.body) === 0;

          const verification = scheme.verify(
            { ...attempt, body: Uint8Array.from(changed) },
            verifying,
            { now },
          );

          expect(verification.ok).toBe(isSame);
          expect(scheme.verify(attempt, verifying, { now })).toMatchObject({ ok: true });
        }),
      );
    });
  },
);

describe("an attempt", () => {
  const scheme = standardWebhooks();
  const { headers, body } = signed(scheme, [SECRET]);
  const judge = (change: Partial<Record<string, string>>) =>
    scheme.verify({ headers: { ...headers, ...change }, body }, [SECRET], {
      now,
      toleranceSeconds: Number.MAX_SAFE_INTEGER,
    }).ok;

  it.each(Object.keys(headers))("is refused after each change of one character of %s", (name) => {
    const value = String(headers[name]);
    const accepted: string[] = [];
    for (let at = 0; at < value.length; at++) {
      for (let unit = 0; unit < 160; unit++) {
        const changed = value.slice(0, at) + String.fromCharCode(unit) + value.slice(at + 1);
        if (changed !== value && judge({ [name]: changed })) accepted.push(changed);
      }
      const shorter = value.slice(0, at) + value.slice(at + 1);
      if (judge({ [name]: shorter })) accepted.push(shorter);
    }

    expect(judge({ [name]: value })).toBe(true);
    expect(accepted).toEqual([]);
  });
});

describe("a signed body that holds a timestamp between full stops", () => {
  it("A9: cannot be split at another place than the signed one", () => {
    const digits = fc.integer({ min: NOW_SECONDS - 300, max: NOW_SECONDS + 300 });
    const bodies = fc
      .array(fc.oneof(digits.map(String), fc.constantFrom("a", "{}", "0")), { minLength: 2 })
      .map((parts) => parts.join("."));

    fc.assert(
      fc.property(fc.constantFrom(...pairs), bodies, ({ scheme, signing, verifying }, text) => {
        const message = { id: "msg", timestamp: NOW_SECONDS, body: Buffer.from(text) };
        const { headers } = signed(scheme, signing, message);
        const whole = `msg.${NOW_SECONDS}.${text}`;
        const stops = [...whole.matchAll(/\./g)].map(({ index }) => index);
        const accepted = stops.flatMap((first, index) =>
          stops.slice(index + 1).filter((second) => {
            const [id, time] = [whole.slice(0, first), whole.slice(first + 1, second)];
            const replaced = Object.entries(headers).map(([name, value]) => [
              name,
              value === "msg" ? id : value.replace(new RegExp(`^(t=)?${NOW_SECONDS}`), `$1${time}`),
            ]);
            const attempt = {
              headers: Object.fromEntries(replaced) as Record<string, string>,
              body: Buffer.from(whole.slice(second + 1)),
            };
            return scheme.verify(attempt, verifying, { now }).ok;
          }),
        );

        expect(accepted).toEqual([`msg.${NOW_SECONDS}`.length]);
      }),
    );
  });
});

describe("an attempt from a stranger", () => {
  it("results in an exported code and never in an exception", () => {
    const codes = new Set<string>();
    fc.assert(
      fc.property(strangers, ({ pair, headers, body }) => {
        const attempt = { headers: headers as HeadersLike, body };
        const verification = pair.scheme.verify(attempt, pair.verifying, { now });

        const checked = pair.scheme.checkHeaders(attempt.headers);
        const early = checked.ok ? undefined : checked;

        codes.add(verification.ok ? "ok" : verification.code);
        expect(verification.ok || verification.code in signatureErrorCodes).toBe(true);
        const code = verification.ok ? undefined : verification.code;
        // Headers are checked early for keys of any kind: a version that these secrets cannot verify
        // may pass, or be malformed as well.
        if (code === "CS_SIGNATURE_VERSION_UNSUPPORTED")
          expect([undefined, code, "CS_SIGNATURE_MALFORMED"]).toContain(early?.code);
        else if (
          early !== undefined ||
          (!verification.ok && verification.facts.header !== undefined)
        )
          expect(verification).toEqual(early);
        if (checked.ok)
          expect(pair.scheme.verify({ ...attempt, checked }, pair.verifying, { now })).toEqual(
            verification,
          );
      }),
      { numRuns: 3000 },
    );

    // They reach every step: a property that stops at the first would notice nothing.
    expect([...codes].toSorted()).toEqual([...Object.keys(signatureErrorCodes), "ok"].toSorted());
  });
});
