import { modelSuite } from "./model-suite.ts";

const refused =
  "409 DUPLICATE_REQUEST_KEY,409 CLOCK_GOES_FORWARD,409 INVALID_TRANSITION,422 REFUND_AMOUNT_EXCEEDS_REMAINING,422 PAYMENT_ALREADY_REFUNDED";
const made = ["CREATED", "PENDING", "AUTHORIZED", "TERMINAL_FAILED"].map((one) => `201 ${one}`);

modelSuite({ SQLite: 2000, PostgreSQL: 2000 }, ["200", ...made, ...refused.split(",")]);
