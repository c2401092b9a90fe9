import { expect, it } from "vitest";
import { describePostgres } from "../../packages/receiver/test/inboxes/describe-postgres.ts";
import { engines, handlers } from "./engines.ts";
import { handsOverOnce } from "./suite.ts";

describePostgres(
  "the guide to handing over",
  (postgres) => {
    it("has a handler of at most 12 lines for each engine", () => {
      const bodies = handlers.map((code) =>
        code.slice(code.indexOf("receiver.on")).trim().split("\n"),
      );

      expect(bodies.map((lines) => lines.length <= 12)).toEqual(engines.map(() => true));
    });

    handsOverOnce(postgres, 10);
  },
  { tags: "ci" },
);
