import { modelSuite } from "./model-suite.ts";

// Of a call PostgreSQL takes three times as long; the slow lane makes up for it.
modelSuite({ SQLite: 50, PostgreSQL: 20 }, [
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
]);
