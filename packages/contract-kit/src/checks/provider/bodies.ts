import type { ProviderCheck } from "../../check.ts";
import { isCreated, shown } from "./refunds.ts";
import { playOnce } from "../../harness/scenario.ts";
import type { Reading, Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const JSON_ALONE = "P-INPUT-JSON";
const STRICT = "P-INPUT-STRICT";
const SIZE = "P-INPUT-SIZE";
const ENCODED = "P-INPUT-ENCODED";
const VERSION = "P-VERSION-PATH";
const METHOD = "P-INPUT-METHOD";
const requirements = [JSON_ALONE, STRICT, SIZE, ENCODED, VERSION, METHOD, "P-ANSWER-SCHEMA"];

/** Bodies that are no JSON, or that two readers would read in two ways; paths and methods. */
export const bodies: ProviderCheck = {
  id: "provider/bodies",
  title:
    "a body that is not plain JSON, too large or coded is refused, and so are other paths and methods",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: [], play }, target, context),
};

async function play(session: Session): Promise<void> {
  const made = await session.controls.payments?.create(10_000n);
  // Without a payment a whole body is refused too, but for what it asks and not for its form.
  const isTaken = (answer: Reading): boolean =>
    made === undefined ? answer.status === 404 : isCreated(answer, session.target.profile);
  const paymentId = made?.paymentId ?? "pay_that_is_not_there";
  const whole = (more: string): string =>
    `{"paymentId":"${paymentId}","requestKey":"${session.key()}","amount":{"currency":"USD","value":1.00}${more}}`;
  const refused = async (requirement: string, text: string, what: string): Promise<void> => {
    const answer = await session.call("POST", "/v1/refunds", { text });
    must(requirement, answer.status === 400, () => `${what}: 400 expected, ${shown(answer)} came`);
  };
  const cut = whole("").slice(0, -1);
  for (const text of [
    "",
    "{",
    "[]",
    "null",
    '"text"',
    cut,
    whole("").replaceAll('"', "'"),
    `${whole("")}{}`,
  ]) {
    await refused(JSON_ALONE, text, `the body ${text.slice(0, 40)}`);
  }
  await refused(
    STRICT,
    whole(',"amount":{"currency":"USD","value":2.00}'),
    "a member that stands twice",
  );
  await refused(STRICT, `\uFEFF${whole("")}`, "a byte order mark");
  await refused(STRICT, whole(String.raw`,"clientReferenceId":"\ud800"`), "half a surrogate pair");

  const { bodyBytes, depth } = session.target.profile.limits;
  await refused(
    STRICT,
    whole(`,"x":${"[".repeat(depth + 1)}${"]".repeat(depth + 1)}`),
    "deep nesting",
  );
  const padded = whole("") + " ".repeat(bodyBytes);
  const large = await session.call("POST", "/v1/refunds", { text: padded });
  must(
    SIZE,
    large.status === 413,
    () => `${padded.length} bytes: 413 expected, ${shown(large)} came`,
  );
  const fitting = whole("");
  const full = fitting + " ".repeat(bodyBytes - fitting.length);
  const taken = await session.call("POST", "/v1/refunds", { text: full });
  must(SIZE, isTaken(taken), () => {
    return `${bodyBytes} bytes: ${made === undefined ? "404" : "a refund"} expected, ${shown(taken)} came`;
  });

  const coded = await session.call("POST", "/v1/refunds", {
    text: whole(""),
    headers: { "content-encoding": "gzip" },
  });
  must(
    ENCODED,
    coded.status === 415,
    () => `Content-Encoding: gzip: 415 expected, ${shown(coded)} came`,
  );

  for (const path of ["/refunds", "/v2/refunds", "/v1/refund"]) {
    const answer = await session.call("POST", path, { text: whole("") });
    must(VERSION, answer.status === 404, () => `POST ${path}: 404 expected, ${shown(answer)} came`);
  }
  for (const [method, path] of [
    ["DELETE", "/v1/refunds"],
    ["POST", "/v1/webhook/unsubscribe"],
  ] as const) {
    const answer = await session.call(method, path, { text: "{}" });
    const isAllowing = answer.headers["allow"] !== undefined;
    must(METHOD, answer.status === 405 && isAllowing, () => {
      return `${method} ${path}: 405 with Allow expected, ${shown(answer)} came`;
    });
  }
}
