import { modelSuite } from "./model-suite.ts";

modelSuite({
  SQLite: {
    runs: 50,
    answers: [
      "200",
      "201 CREATED",
      "201 PENDING",
      "201 AUTHORIZED",
      "201 TERMINAL_FAILED",
      "400 INVALID_AMOUNT",
      "404 PAYMENT_NOT_FOUND",
      "409 DUPLICATE_REQUEST_KEY",
      "409 CLOCK_GOES_FORWARD",
      "409 INVALID_TRANSITION",
      "422 REFUND_AMOUNT_EXCEEDS_REMAINING",
    ],
  },
  // A call takes three times as long there; the slow lane makes up for it.
  PostgreSQL: { runs: 12, answers: ["200", "201 CREATED"] },
});
