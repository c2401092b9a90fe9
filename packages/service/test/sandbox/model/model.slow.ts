import { expect, it } from "vitest";
import { onStores, postgres, sqlite } from "../../store/stores.ts";
import { campaign } from "./campaign.ts";

const made = ["CREATED", "PENDING", "AUTHORIZED", "TERMINAL_FAILED"].map((one) => `201 ${one}`);
/** Answers that so many runs meet without luck: a campaign that does not proves little. */
const ANSWERS =
  "200,409 DUPLICATE_REQUEST_KEY,409 CLOCK_GOES_FORWARD,409 INVALID_TRANSITION,422 REFUND_AMOUNT_EXCEEDS_REMAINING,422 PAYMENT_ALREADY_REFUNDED"
    .split(",")
    .concat(made);

onStores([sqlite, postgres], ({ create, open }) => {
  it("a sandbox answers, emits and delivers as its model predicts in 500 runs", async () => {
    const address = await create();
    const seen = await campaign(() => open(address), 500);
    expect([...seen]).toEqual(expect.arrayContaining(ANSWERS));
  }, 3_600_000);
});
