import { define } from "../command.ts";
import { verifyPacts } from "./verify-pacts.ts";
import { verifyProvider } from "./verify-provider.ts";
import { verifyReceiver } from "./verify-receiver.ts";
import { verifySender } from "./verify-sender.ts";

export const definition = define({
  below: {
    receiver: ["Test a webhook receiver in any language", verifyReceiver],
    sender: ["Test a sender of webhooks in any language", verifySender],
    provider: ["Test a payment service over HTTP", verifyProvider],
    pacts: ["Test a payment service against its consumers' pacts", verifyPacts],
  },
});
