import { modelSuite, type Extent } from "./model-suite.ts";

const extent: Extent = {
  runs: 2000,
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
    "422 PAYMENT_ALREADY_REFUNDED",
    "422 PAYMENT_NOT_REFUNDABLE",
    "422 LATE_RETURN_UNSUPPORTED",
    "422 SUBSCRIPTION_LIMIT_REACHED",
  ],
};

modelSuite({ SQLite: extent, PostgreSQL: extent });
