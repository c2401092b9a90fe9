import { describe, expect, it } from "vitest";
import { explained } from "@countersign/signatures/explain";
import { diagnose, type DiagnosedAttempt } from "../../src/sandbox/diagnosis.ts";

const diagnosed = (change: Partial<DiagnosedAttempt>) =>
  diagnose({ durationMs: 62, status: 500, error: null, answer: "", ...change }, 15);

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
    expect(refused.cause).toContain("the receiver refused the signature");
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
    const fixOf = (fix: unknown): string | null =>
      diagnosed({ answer: JSON.stringify({ code: "CS_BODY_CONSUMED", fix }) }).fix;
    expect(fixOf("x".repeat(900))).toBe(`${"x".repeat(400)}…`);
    expect(fixOf("line 1\n\u001b[31mline\u202e 2\u0000")).toBe("line 1 [31mline 2");
    expect(fixOf(["x"])).toContain("parser");
    expect(fixOf("\u202e\n")).toContain("parser");
  });

  it("guesses a refusal by its status, unless the signature was verified here", () => {
    const refused = { status: 401, answer: '{"code":"CS_SIGNATURE_REFUSED"}' };
    expect(diagnosed({ status: 401 })).toMatchObject({ name: "status-401", isGuess: true });
    const valid = diagnosed({ ...refused, explanations: [] });
    expect(valid).toMatchObject({ name: "valid-but-refused", isGuess: true });
    expect(valid.cause).toContain("Your app has another secret");
    const late = explained("timestamp-too-old", "The timestamp is 600 s old.");
    const { name, cause, fix } = diagnosed({ ...refused, explanations: [late] });
    expect({ name, cause, fix }).toEqual({ name: late.cause, cause: late.sentence, fix: late.fix });
    // An answer that states a cause keeps it.
    const consumed = { answer: '{"code":"CS_BODY_CONSUMED"}', explanations: [late] };
    expect(diagnosed(consumed).name).toBe("CS_BODY_CONSUMED");
  });

  it("names why the app behind countersign listen did not answer", () => {
    const relayed = { status: 502, answer: '{"code":"CS_ATTEMPT_CONNECTION_FAILED"}' };
    expect(diagnosed(relayed).cause).toContain("Your app is not running");
  });

  it("doubts an answer of 2xx to an attempt whose signature does not verify", () => {
    const other = explained("secret-other", "Another secret.", false);
    const { isGood, name, what } = diagnosed({ status: 204, explanations: [other] });
    expect({ isGood, name }).toEqual({ isGood: true, name: "accepted-unverified" });
    expect(what).toContain("does not verify");
  });

  it("names a fault as the cause, and whether the app saw the attempt", () => {
    expect(diagnosed({ fault: "status" }).what).toContain("your app never saw it");
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
    expect([cause, fix]).not.toContain(null);
  });
});
