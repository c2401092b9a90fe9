import { ok, refusal } from "./answer.ts";
import { always, type Broken } from "./broken.ts";
import { honest, secrets } from "./conduct.ts";

/** What answers tell, and how HTTP is spoken. */
export const answerFaults: readonly Broken[] = [
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells why it does not believe",
    change: always({ unbelieved: (reason) => refusal(401, reason) }),
  },
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells a late attempt by its status",
    change: always({
      unbelieved: (reason) => refusal(reason === "time" ? 400 : 401, "signature"),
    }),
  },
  {
    requirement: "R-VERIFY-ALIKE",
    what: "tells an unsigned attempt by a header",
    change: always({
      unbelieved: (reason) =>
        refusal(401, "signature", reason === "missing" ? { "www-authenticate": "Webhook" } : {}),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a failure with its stack",
    change: always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? (error.stack ?? "") : "",
      }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a failure with its message",
    change: always({
      failed: (error) => ({
        ...honest.failed(error),
        body: error instanceof Error ? error.message : "",
      }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a refusal with its secret",
    change: always({
      unbelieved: () => ({ ...refusal(401, "signature"), body: `no signature of ${secrets[0]}` }),
    }),
  },
  {
    requirement: "R-LEAK-NOTHING",
    what: "answers a body that it cannot read with the body",
    change: always({
      unreadable: (body) => ({ ...refusal(400, "body"), body: body.toString("latin1") }),
    }),
  },
  {
    requirement: "R-METHOD",
    what: "answers other methods with success",
    change: always({ wrongMethod: ok }),
  },
  {
    requirement: "R-METHOD",
    what: "does not say which method it takes",
    change: always({ wrongMethod: refusal(405, "method") }),
  },
  {
    requirement: "R-METHOD",
    what: "takes an attempt by PUT",
    change: always({ methods: ["POST", "PUT", "PATCH"] }),
  },
  {
    requirement: "R-HTTP-KEEP-ALIVE",
    what: "answers nothing on a connection after a refusal",
    change: always({ servesAfterRefusal: false }),
  },
  {
    requirement: "R-HTTP-CONTINUE",
    what: "never says to continue",
    change: always({ continues: false }),
  },
];
