import { join } from "node:path";
import { profiles } from "@countersign/schemas/profiles";
import { sqliteDriver } from "@countersign/service";
import { expect, it } from "vitest";
import { openReceiver, openSandbox, SECRET, SOON } from "./open-sandbox.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

it("[P-SUBSCRIBE-NEW-TYPES] delivers a type added later to a category and to ALL, not to named types", async () => {
  const added = "payment.canceled";
  const file = join(temporaryFolder(), "sandbox.db");
  const { standard } = profiles;
  const catalogue = standard.catalogue.filter(({ type }) => type !== added);
  const old = await openSandbox({
    driver: sqliteDriver(file),
    profile: { ...standard, catalogue },
  });
  const expected = [
    [{ type: "ALL" }, ["customer.created", added, "payment.created"]],
    [{ type: "CATEGORY", details: ["PAYMENT"] }, [added, "payment.created"]],
    [{ type: "CATEGORY", details: ["CUSTOMER"] }, ["customer.created"]],
    [{ type: "EVENT", details: ["payment.created"] }, ["payment.created"]],
  ] as const;
  const receivers = await Promise.all(expected.map(() => openReceiver()));
  for (const [place, [subscriptionDetails]] of expected.entries()) {
    const json = { url: receivers[place]?.url, secretKey: SECRET, subscriptionDetails };
    expect((await old.post("/v1/webhook/subscribe", json)).status).toBe(200);
  }
  expect((await old.emit(added)).status).toBe(400);
  await old.sandbox.close();

  const now = await openSandbox({ driver: sqliteDriver(file), profile: standard });
  // Deliveries of one event are written together: whoever got the later ones was passed over by this one.
  for (const type of [added, "payment.created", "customer.created"])
    expect((await now.emit(type)).status).toBe(201);
  for (const [place, [, types]] of expected.entries())
    await expect
      .poll(() => receivers[place]?.arrived.map(({ type }) => type).toSorted(), SOON)
      .toEqual(types);
});
