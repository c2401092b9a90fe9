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

  it("shows the code and the fix of a JSON answer as the cause, and not a guess by its status", () => {
    const fix = "move app.post(path, toExpress(receiver)) above app.use(express.json())";
    const consumed = diagnosed({ answer: JSON.stringify({ code: "CS_BODY_CONSUMED", fix }) });
    expect(consumed.cause).toBe(
      "CS_BODY_CONSUMED: a parser has read the body before the receiver.",
    );
    expect(consumed).toMatchObject({ fix, isGuess: false });
    // A code without a fix still excludes the other causes of its status.
    const store = diagnosed({ status: 503, answer: '{"code":"CS_INBOX_UNAVAILABLE"}' });
    expect(store.cause).toMatch(/^CS_INBOX_UNAVAILABLE: the inbox/);
    expect(store.cause).not.toContain("handler threw");
    const own = diagnosed({ answer: '{"code":"CS_OF_A_LATER_VERSION"}' });
    expect(own.cause).toBe("Your app answered with the code CS_OF_A_LATER_VERSION.");
    const refused = diagnosed({ status: 401, answer: '{"code":"CS_SIGNATURE_REFUSED"}' });
    expect(refused.cause).toContain("Your receiver's log");
  });

  it("keeps the code of a receiver's report, and takes the fix of the answer", () => {
    const answer = JSON.stringify({ code: "CS_BODY_CONSUMED", fix: "register it first" });
    const said = outcome({ code: "CS_BODY_CONSUMED" });
    const { cause, fix } = diagnosed({ answer, outcome: said });
    expect(cause).toBe("Your receiver reported rejected (CS_BODY_CONSUMED).");
    expect(fix).toBe("register it first");
  });

  it.each([
    ["an unknown code", { code: "E_FAIL", fix: "click here" }],
    ["a code with markup", { code: "CS_<b>", fix: "click here" }],
    ["a code of 65 characters", { code: `CS_${"A".repeat(62)}`, fix: "click here" }],
    ["a code that is a member of every object", { code: "constructor", fix: "click here" }],
    ["a fix without a code", { fix: "click here" }],
  ])("guesses by the status when the answer has %s", (_, body) => {
    const { cause, fix, isGuess } = diagnosed({ answer: JSON.stringify(body) });
    expect(cause).toContain("Your handler threw");
    expect(fix).toContain("Read the stack trace");
    expect(isGuess).toBe(true);
  });

  it("cuts a long fix of an answer, and removes characters that hide or reorder text", () => {
    const fixOf = (fix: unknown): string | undefined =>
      diagnosed({ answer: JSON.stringify({ code: "CS_BODY_CONSUMED", fix }) }).fix;
    expect(fixOf("x".repeat(900))).toBe(`${"x".repeat(400)}…`);
    expect(fixOf("line 1\n\u001b[31mline\u202e 2\u0000")).toBe("line 1 [31mline 2");
    expect(fixOf(["x"])).toContain("parser");
    expect(fixOf("\u202e\n")).toContain("parser");
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
