import { gunzipSync } from "node:zlib";
import type { FaultTable } from "../matrix.ts";
import { always, type Change, type Conduct, honest } from "./conduct.ts";
import { ok, refusal, valuesOf } from "./http.ts";
import { fitsSchema, isKnownType } from "./read-event.ts";

/** Judges the headers as if the body had no content coding. */
const ignoresCoding: Conduct["judgeHeaders"] = ({ rawHeaders }) =>
  honest.judgeHeaders({
    rawHeaders: rawHeaders.map((one) => (/^content-encoding$/i.test(one) ? "x-coding" : one)),
  });

/** Mistakes with bodies, their content, and HTTP. */
export const bodyFaults: FaultTable<Change> = {
  "R-BODY-SIZE: never answers a body above its limit": always({ tooLarge: undefined }),
  "R-BODY-DOCUMENTED: refuses bodies above a kilobyte": always({ bodyBytes: 1024 }),
  "R-BODY-ENCODED: inflates a compressed body and verifies the result": always({
    judgeHeaders: ignoresCoding,
    bodyOf(arrived) {
      if (!valuesOf(arrived, "content-encoding").includes("gzip")) return arrived.body;
      try {
        return gunzipSync(arrived.body, { maxOutputLength: 2 ** 20 });
      } catch {
        return arrived.body;
      }
    },
  }),
  "R-BODY-IDENTITY: ignores Content-Encoding": always({ judgeHeaders: ignoresCoding }),
  "R-BODY-MEDIA: ignores Content-Type": always({
    judgeHeaders: (arrived) =>
      valuesOf(arrived, "content-encoding").length === 0 ? undefined : honest.judgeHeaders(arrived),
  }),
  "R-BODY-CHARSET: compares the whole text of Content-Type": always({
    judgeHeaders(arrived) {
      const [type = ""] = valuesOf(arrived, "content-type");
      const isPlain = !/^application\/json *;|^Application/.test(type);
      return isPlain ? honest.judgeHeaders(arrived) : refusal(415, "media_type");
    },
  }),
  "R-HTTP-FORMS: looks headers up by their names in lower case": always({
    judgeHeaders: (arrived) =>
      arrived.rawHeaders.includes("WEBHOOK-ID")
        ? refusal(400, "headers")
        : honest.judgeHeaders(arrived),
  }),
  "R-BODY-JSON: acknowledges a body that it cannot parse": always({
    unreadable(body) {
      try {
        JSON.parse(body.toString());
        return refusal(400, "body");
      } catch {
        return ok;
      }
    },
  }),
  "R-BODY-STRICT: uses the last of repeated members": always({ areMembersOnce: false }),
  "R-BODY-SLOW: waits for a body forever": always({ bodyMs: Infinity }),
  "R-EVENT-ID: accepts an envelope whose id is not the signed one": always({
    judgeEvent: (event) => (fitsSchema(event) ? undefined : refusal(422, "schema")),
  }),
  "R-EVENT-SCHEMA: acknowledges data that violates the schema": always({
    judgeEvent(event, arrived) {
      const said = honest.judgeEvent(event, arrived);
      return said?.status === 422 ? ok : said;
    },
  }),
  "R-EVENT-UNKNOWN: refuses an unknown type": always({
    judgeEvent: (event, arrived) =>
      isKnownType(event.type) ? honest.judgeEvent(event, arrived) : refusal(422, "type"),
  }),
  "R-METHOD: answers 405 without Allow": always({ wrongMethod: refusal(405, "method") }),
  "R-HTTP-KEEP-ALIVE: goes silent on a connection after a refusal": always({
    servesAfterRefusal: false,
  }),
  "R-HTTP-CONTINUE: never answers 100 Continue": always({ continues: false }),
};
