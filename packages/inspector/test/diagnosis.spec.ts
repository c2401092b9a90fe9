import { describe, expect, it } from "vitest";
import { diagnose, summarize } from "../src/events/diagnosis.ts";
import type { Attempt, Outcome } from "../src/shapes.ts";

const attempt = (change: Partial<Attempt>): Attempt => ({
  number: 1,
  startedAt: "2026-11-20T15:00:00.000Z",
  sandboxAt: null,
  durationMs: 62,
  status: 500,
  error: null,
  answer: "",
  headers: null,
  responseHeaders: null,
  fault: null,
  isUnseen: false,
  outcome: null,
  ...change,
});
const outcome = (change: Partial<Outcome>): Outcome => ({
  outcome: "rejected",
  code: null,
  message: null,
  explanation: [],
  durationMs: null,
  ...change,
});
const diagnosed = (change: Partial<Attempt>) => diagnose(attempt(change), 15);

describe("the diagnosis of an attempt", () => {
  it("quotes the first line of the response, or a JSON body's message", () => {
    const { what } = diagnosed({ answer: "\nTypeError: x is not a function\n    at handle" });
    expect(what).toBe("Your endpoint answered 500: TypeError: x is not a function.");
    expect(diagnosed({ answer: '{"detail":"no ledger."}' }).what).toBe(
      "Your endpoint answered 500: no ledger.",
    );
  });

  it("says that the receiver sent no report when the status is all that is known", () => {
    const { cause, fix } = diagnosed({ status: 401 });
    expect(cause).toContain("Your app refused the signature");
    expect(cause).toContain("Your receiver sent no outcome report");
    expect(fix).toContain("Signature tab");
  });

  it("uses the explanation that the receiver's report brings", () => {
    const explanation = ["The body was parsed and printed again. Verify the raw bytes."];
    const said = outcome({ code: "CS_SIGNATURE_MISMATCH", explanation });
    const { cause, fix } = diagnosed({ status: 401, outcome: said });
    expect(cause).toBe(`CS_SIGNATURE_MISMATCH: ${explanation.join("")}`);
    expect(fix).toContain("Signature tab");
  });

  it("names a fault as the cause, and whether the app saw the attempt", () => {
    expect(diagnosed({ fault: "status", isUnseen: true }).what).toContain("your app never saw it");
    const lost = { fault: "lost", status: null, error: "CS_ATTEMPT_CONNECTION_LOST" };
    expect(diagnosed(lost).what).toContain("although your app received it");
    expect(diagnosed(lost).fix).toContain("duplicate");
    expect(diagnosed({ fault: "delay", status: 204 }).isGood).toBe(true);
  });

  it.each([
    ["CS_ATTEMPT_TIMEOUT", "did not answer within 15 s"],
    ["CS_ATTEMPT_CONNECTION_FAILED", "Nothing accepts connections"],
    ["CS_ATTEMPT_CONNECTION_LOST", "The connection ended before"],
    ["CS_ATTEMPT_NAME_UNRESOLVED", "host has no address"],
    ["CS_ATTEMPT_TLS_FAILED", "TLS handshake failed"],
    ["CS_ATTEMPT_ADDRESS_REFUSED", "does not send to this address"],
    ["CS_ATTEMPT_ANSWER_MALFORMED", "did not send a valid HTTP response"],
    ["CS_ATTEMPT_SECRET_UNUSABLE", "was not sent: CS_ATTEMPT_SECRET_UNUSABLE"],
  ])("explains %s with a cause and a fix", (error, words) => {
    const { what, cause, fix } = diagnosed({ status: null, error });
    expect(what).toContain(words);
    expect([cause, fix]).not.toContain(undefined);
  });
});

describe("the summary of a delivery", () => {
  const good = attempt({ number: 3, status: 204 });
  const bad = attempt({ answer: "boom" });
  it.each([
    ["delivered", [good], "Delivered at the first attempt. Your endpoint answered 204 in 62 ms."],
    [
      "delivered",
      [bad, good],
      "Delivered after it had failed once. Your endpoint answered 204 in 62 ms.",
    ],
    ["retrying", [bad, bad], "Failed 2 times. Your endpoint answered 500: boom."],
    ["gave_up", [bad], "Gave up after 1 attempts. Your endpoint answered 500: boom."],
  ] as const)("says how one that is %s fares", (status, attempts, expected) => {
    const delivery = { status, attempts, isPaused: false, url: null };
    expect(summarize(delivery, 15)).toBe(expected);
  });
});
