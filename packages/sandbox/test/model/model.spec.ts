import { modelSuite } from "./model-suite.ts";

// Rarer answers, such as for an unknown payment, are in the slow lane, which makes 2,000 runs per store.
modelSuite({
  SQLite: {
    runs: 12,
    answers: [
      "200",
      "201 CREATED",
      "201 PENDING",
      "201 AUTHORIZED",
      "400 INVALID_AMOUNT",
      "409 DUPLICATE_REQUEST_KEY",
    ],
  },
  // A call takes three times as long there.
  PostgreSQL: { runs: 3, answers: ["200", "201 CREATED"] },
});
