import { modelSuite } from "./model-suite.ts";

// What is rarer, such as a payment that nobody has, so few runs may not meet; the slow lane makes 2,000.
modelSuite({
  SQLite: {
    runs: 25,
    answers: [
      "200",
      "201 CREATED",
      "201 PENDING",
      "201 AUTHORIZED",
      "201 TERMINAL_FAILED",
      "400 INVALID_AMOUNT",
      "409 DUPLICATE_REQUEST_KEY",
      "409 INVALID_TRANSITION",
      "422 REFUND_AMOUNT_EXCEEDS_REMAINING",
    ],
  },
  // A call takes three times as long there.
  PostgreSQL: { runs: 6, answers: ["200", "201 CREATED"] },
});
