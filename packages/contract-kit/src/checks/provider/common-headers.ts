import type { ProviderCheck } from "../../check.ts";
import { shown } from "./refunds.ts";
import { playOnce } from "../../harness/scenario.ts";
import type { Reading, Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const BEARER = "P-AUTH-BEARER";
const FIRST = "P-AUTH-CHECKED-FIRST";
const MEDIA = "P-INPUT-MEDIA-TYPE";
const ACCEPT = "P-INPUT-ACCEPT";
const TOLERANT = "P-INPUT-HEADERS-TOLERANT";
const requirements = [
  BEARER,
  FIRST,
  "P-ERROR-NO-SECRETS",
  MEDIA,
  ACCEPT,
  TOLERANT,
  "P-ANSWER-SCHEMA",
];

/** The headers of S 1, wrong and missing, on every endpoint. */
export const commonHeaders: ProviderCheck = {
  id: "provider/common-headers",
  title: "the common headers are judged on every endpoint, the token before all else",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: [], play }, target, context),
};

const endpoints = [
  ["POST", "/v1/refunds"],
  ["GET", "/v1/customers/cus_that_is_not_there"],
  ["POST", "/v1/webhook/subscribe"],
  ["PUT", "/v1/webhook/unsubscribe"],
] as const;

async function play(session: Session): Promise<void> {
  const { headers: policy } = session.target.profile;
  for (const [method, path] of endpoints) {
    const send = (
      headers: Readonly<Record<string, string | undefined>>,
      text = "{}",
    ): Promise<Reading> =>
      session.call(method, path, { headers, ...(method !== "GET" && { text }) });
    const where = `${method} ${path}`;

    for (const authorization of [
      undefined,
      "",
      "Bearer",
      "Bearer no-such-token",
      `Basic ${session.token}`,
    ]) {
      const said = authorization?.replace(session.token, "…") ?? "no Authorization";
      const answer = await send({ authorization });
      must(
        BEARER,
        answer.status === 401 && answer.headers["www-authenticate"] !== undefined,
        () => `${where}, ${said}: 401 with WWW-Authenticate expected, ${shown(answer)} came`,
      );
      must("P-ERROR-NO-SECRETS", !answer.text.includes("no-such-token"), () => {
        return `${where}: the answer repeats the token`;
      });
      // The rest is wrong too: a stranger learns of the token alone.
      const wrong = { authorization, accept: "image/png", "content-type": "text/plain" };
      const first = await send(wrong, "{");
      must(FIRST, first.status === 401, () => {
        return `${where}, ${said} and all else wrong: 401 expected, ${shown(first)} came`;
      });
    }

    const unacceptable = await send({ accept: "image/png" });
    must(ACCEPT, unacceptable.status === 406, () => {
      return `${where}, Accept: image/png: 406 expected, ${shown(unacceptable)} came`;
    });
    const withoutAccept = await send({ accept: undefined });
    const isAcceptStrict = policy.acceptMissing === "error";
    must(
      TOLERANT,
      isAcceptStrict || ![400, 406].includes(withoutAccept.status) || method !== "GET",
      () => {
        return `${where} without Accept: ${shown(withoutAccept)} came`;
      },
    );
    if (method === "GET") {
      const bare = await send({ "content-type": undefined });
      const isStrict = policy.contentTypeOnGet === "error";
      must(TOLERANT, isStrict || bare.status === 404, () => {
        return `${where} without Content-Type: 404 expected, ${shown(bare)} came`;
      });
      continue;
    }
    for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded"]) {
      const answer = await send({ "content-type": type });
      const said = type ?? "no Content-Type";
      must(
        MEDIA,
        answer.status === 415,
        () => `${where}, ${said}: 415 expected, ${shown(answer)} came`,
      );
    }
  }
}
