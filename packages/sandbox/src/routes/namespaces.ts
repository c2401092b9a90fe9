import { useCasesOf, writtenTime, type Routes } from "@countersign/service";
import { optional, text } from "../readers.ts";
import { time } from "../times.ts";
import { get, nowOf, post } from "./call.ts";

export const namespaceRoutes: Routes = {
  "/sandbox/merchants": [
    // The namespace's own.
    get(async (call) => {
      const now = writtenTime(await nowOf(call));
      return { merchants: [{ merchantId: call.merchant.id, now }] };
    }),
    // Another namespace; its token and its client's secret are shown only here.
    post(201, { name: optional(text(100)), now: optional(time) }, async ({ context }, order) => {
      const { name = "Merchant", now: instant = context.clock.now() } = order;
      const scopes = Object.values(context.policy.token.scopes);
      const { createMerchant, createToken } = useCasesOf(context);
      const made = await createMerchant({ name, clock: { instant }, scopes });
      // Ids and secrets are new, so that none can be taken.
      if (!made.ok) throw new Error(made.code);
      const { merchant, clientId, clientSecret } = made;
      const merchantId = merchant.id;
      const token = { merchantId, clientId: null, scopes, lifetimeSeconds: null };
      const accessToken = await createToken(token);
      return { merchantId, name, accessToken, clientId, clientSecret, now: writtenTime(instant) };
    }),
  ],
};
