import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { checkBody, DefectiveAnswerError, type BodyKind } from "../../src/http/answer-check.ts";
import type { LogFields } from "../../src/http/logger.ts";
import { policyOf } from "../../src/policy-of.ts";
import { openService } from "../open-service.ts";
import { refusal } from "../validated.ts";

const policy = policyOf(profiles.standard);
const refund = { paymentId: "ref_1", paymentStatus: "PENDING", clientReferenceId: null };

describe("a body", () => {
  it.each<[BodyKind, object, string]>([
    ["refund", { ...refund, paymentId: 7 }, "/paymentId type"],
    ["refund", { ...refund, memo: "canary" }, "/memo additionalProperties"],
    ["subscribed", {}, "/subscriptionKey required"],
    ["tokenError", { error: "invalid_client", error_description: "\n" }, "/error_description"],
  ])("of %s that does not fit its schema is a defect, told by its place", (kind, body, place) => {
    let error: unknown;
    try {
      checkBody(policy, kind, body);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(DefectiveAnswerError);
    expect((error as DefectiveAnswerError).defect).toContain(place);
    expect((error as DefectiveAnswerError).defect).not.toContain("canary");
  });

  it("may have a value of an open set that this version does not know", () => {
    const errorDetails = { errorCode: "ANOTHER_CODE", errorMessage: "m" };
    const body = { type: "about:blank", title: "t", status: 400, errorDetails };
    expect(() => checkBody(policy, "problem", body)).not.toThrow();
    expect(() => checkBody(policy, "problem", { ...body, more: 1 })).toThrow(DefectiveAnswerError);
  });

  it("is judged as it is written: members without a value are none", () => {
    expect(() => checkBody(policy, "refund", { ...refund, memo: undefined })).not.toThrow();
  });
});

describe("an answer that fits no schema", () => {
  const ask = async (checksAnswers: boolean): Promise<{ status: number; lines: LogFields[] }> => {
    const lines: LogFields[] = [];
    const write = (fields: LogFields): void => void lines.push(fields);
    const open = await openService({
      checksAnswers,
      logger: { info: write, warn: write, error: write },
    });
    const person = { firstName: "x".repeat(300), lastName: "Li", email: "bo@example.com" };
    const { id } = await open.service.useCases.createCustomer(open.merchant, person);
    const answer = await open.call("GET", `/v1/customers/${id}`);
    const text = await open.service.metrics.text();
    const isCounted = text.includes("countersign_defective_answers_total 1");
    expect(isCounted).toBe(checksAnswers);
    if (checksAnswers) {
      expect(refusal(answer)).toEqual({ status: 500, code: "INTERNAL_SERVER_ERROR" });
      expect(answer.text).not.toContain("firstName");
    }
    return { status: answer.status, lines };
  };

  it("is logged as a defect, counted, and answered with 500", async () => {
    const { lines } = await ask(true);
    const [defect] = lines.flatMap((line) => line.defect ?? []);
    expect(defect).toBe("customer: /firstName maxLength");
    expect(JSON.stringify(lines)).not.toContain("xxx");
  });

  it("is answered as it is where nobody asked for the check", async () => {
    expect((await ask(false)).status).toBe(200);
  });
});
