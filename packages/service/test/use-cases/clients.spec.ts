import { expect, it } from "vitest";
import { openService } from "../open-service.ts";

it("a client's old secret works until the overlap of its rotation ends, to the millisecond", async () => {
  const { service, clock, merchant, call } = await openService();
  const { clientId } = merchant;
  const isTaken = async (clientSecret: string): Promise<boolean> =>
    (await service.useCases.authenticateClient({ clientId, clientSecret })) !== undefined;
  const order = { clientId, overlapMs: 1000, askedBy: "anna" };
  const rotated = await service.useCases.rotateClientSecret(order);
  if (!rotated.ok) throw new Error(rotated.code);
  clock.advance(999);
  expect([await isTaken(merchant.clientSecret), await isTaken("")]).toEqual([true, false]);
  const subscribe = async (secretKey: string): Promise<number> => {
    const json = { url: "https://m.example/", secretKey, subscriptionDetails: { type: "ALL" } };
    return (await call("POST", "/v1/webhook/subscribe", { json })).status;
  };
  // Neither may sign deliveries: the merchant's receiver must not have them.
  expect(await subscribe(merchant.clientSecret)).toBe(400);
  expect(await subscribe(rotated.clientSecret)).toBe(400);
  clock.advance(1);
  expect(await isTaken(merchant.clientSecret)).toBe(false);
  expect(await isTaken(rotated.clientSecret)).toBe(true);
});
