import type { HttpAnswer } from "@countersign/contract-kit";
import { jsonMutants, type JsonMutant } from "./json-mutants.ts";

/** An answer that differs from a genuine one at a single place. */
export interface AnswerMutant {
  readonly operator: JsonMutant["operator"] | "status" | "header";
  readonly place: string;
  readonly answer: HttpAnswer;
}

/** Headers that an answer of the interface owes. */
const OWED = ["content-type", "www-authenticate", "allow", "retry-after"];

/** Statuses that are no answer to what was asked. */
function otherStatuses(status: number): readonly number[] {
  const others = status < 400 ? [status === 200 ? 201 : 200, 202, 400, 500] : [200, 418, 500, 422];
  return others.filter((one) => one !== status);
}

export function answerMutants(answer: HttpAnswer): readonly AnswerMutant[] {
  const { status, headers, body } = answer;
  const parsed: unknown = JSON.parse(Buffer.from(body).toString());
  return [
    ...jsonMutants(parsed).map(({ operator, pointer, value }) => ({
      operator,
      place: pointer,
      answer: { ...answer, body: Buffer.from(JSON.stringify(value)) },
    })),
    ...otherStatuses(status).map((other) => ({
      operator: "status" as const,
      place: String(other),
      answer: { ...answer, status: other },
    })),
    ...OWED.filter((name) => Object.hasOwn(headers, name)).map((name) => ({
      operator: "header" as const,
      place: name,
      answer: {
        ...answer,
        headers: Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name)),
      },
    })),
    {
      operator: "header",
      place: "content-type: text/html",
      answer: { ...answer, headers: { ...headers, "content-type": "text/html" } },
    },
  ];
}
