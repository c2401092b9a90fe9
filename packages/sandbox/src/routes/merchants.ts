import { instantOf, useCasesOf, writtenTime, type Route } from "@countersign/service";
import { optional, readMembers, text } from "../members.ts";
import { timeWithin } from "../time.ts";

/** `GET /sandbox/merchants`: the namespace's own. */
export const listMerchants: Route = {
  method: "GET",
  scope: undefined,
  answer: async ({ context, merchant }) => {
    const now = await instantOf(context.driver, context.clock, merchant.clockId);
    return {
      status: 200,
      body: { merchants: [{ merchantId: merchant.id, now: writtenTime(now) }] },
    };
  },
};

/**
 * `POST /sandbox/merchants`: another namespace, with a clock and a token of its own. The token and the
 * client's secret are told here once.
 */
export const postMerchant: Route = {
  method: "POST",
  scope: undefined,
  answer: async ({ context, body }) => {
    const order = readMembers(body, {
      name: optional(text({ max: 100 })),
      now: optional(timeWithin(context.policy)),
    });
    const instant = order.now ?? context.clock.now();
    const scopes = Object.values(context.policy.token.scopes);
    const { createMerchant, createToken } = useCasesOf(context);
    const name = order.name ?? "Merchant";
    const made = await createMerchant({ name, clock: { instant }, scopes });
    // Ids and secrets are new, so that none can be taken.
    if (!made.ok) throw new Error(made.code);
    const { merchant, clientId, clientSecret } = made;
    const accessToken = await createToken({
      merchantId: merchant.id,
      clientId: null,
      scopes,
      lifetimeSeconds: null,
    });
    return {
      status: 201,
      body: {
        merchantId: merchant.id,
        name,
        accessToken,
        clientId,
        clientSecret,
        now: writtenTime(instant),
      },
    };
  },
};
