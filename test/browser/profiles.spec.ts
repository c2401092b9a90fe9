import { runInNewContext } from "node:vm";
import { createReceiver, memoryInbox } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { providerOf } from "@countersign/schemas/provider-of";
import { reference, xSignature } from "@countersign/schemas/providers";
import { describe, expect, it } from "vitest";
import { testOf } from "../../packages/inspector/src/events/snippets.ts";
import type { About, EventPage, PaymentDetail } from "../../packages/inspector/src/shapes.ts";
import { openInspector, SECRET } from "./open-inspector.ts";

const types = ["giro", "cheque"];
const ownTypes: Profile = {
  ...profiles.standard,
  name: "own-types",
  account: { ...profiles.standard.account, types },
};

describe("the inspector of another profile", { tags: "ci" }, () => {
  it("names the payment or customer of an event by the profile's places, and a refund's history", async () => {
    const one = await openInspector({ profile: profiles["x-signature"] });
    const get = async (path: string): Promise<unknown> => (await one.api("GET", path)).body;
    // The sandbox answers the page in these shapes.
    const { rows } = (await get("/sandbox/inspect/events")) as EventPage;
    const kinds = rows.map(({ subject }) => subject?.slice(0, 4));
    expect(new Set(kinds)).toEqual(new Set(["pay_", "cus_"]));

    const { paymentId } = (await one.refund("one")).body;
    const detail = (await get(`/sandbox/payments/${String(paymentId)}`)) as PaymentDetail;
    expect(detail.events.map(({ type }) => type)).toEqual([
      "payment.created",
      "payment.succeeded",
      "payment.authorized",
    ]);
  });

  it.each([profiles.standard, profiles["x-signature"], ownTypes])(
    "offers a test of an event of $name that tries a receiver",
    async (profile) => {
      const one = await openInspector({ profile });
      const about = (await one.api("GET", "/sandbox/inspect")).body as About;
      const made = await one.api("POST", "/sandbox/events", { type: "payment.created" });
      const event = made.body as { id: string; type: string; payload: string };
      const code = testOf({ ...event, eventId: event.id }, about);
      await runCopied(code, profile, () => undefined);
      const failing = () => Promise.reject(new TypeError("no ledger"));
      await expect(runCopied(code, profile, failing)).rejects.toThrow("no ledger");
    },
  );

  it("validates events of the standard names, and points to a wrong member", async () => {
    const one = await openInspector({ profile: ownTypes });
    const findingsOf = async (order: object): Promise<unknown> => {
      const { id } = (await one.api("POST", "/sandbox/events", order)).body as { id: string };
      const { body } = await one.api("GET", `/sandbox/inspect/events/${id}`);
      return (body as { event: { findings: unknown } }).event.findings;
    };
    const about = (await one.api("GET", "/sandbox/inspect")).body as About;
    for (const { type } of about.events)
      expect(await findingsOf({ type })).toMatchObject({ faults: [] });
    const wrong = await findingsOf({ type: "payment.created", data: { strange: 7 } });
    expect(JSON.stringify(wrong)).toContain("/data/strange");
  });

  it("links accounts of the profile's types, the first one by default", async () => {
    const one = await openInspector({ profile: ownTypes });
    const link = async (order: object): Promise<unknown> => {
      const made = (await one.api("POST", "/sandbox/customers", {})).body as { id: string };
      const { status, body } = await one.api("POST", `/sandbox/customers/${made.id}/link`, order);
      const { accountDetails } = body as { accountDetails?: { accountType: string } };
      return accountDetails?.accountType ?? status;
    };
    expect(await link({})).toBe("giro");
    expect(await link({ accountType: "cheque" })).toBe("cheque");
    expect(await link({ accountType: "checking" })).toBe(400);
  });
});

/** Runs a copied test of `payment.created` against a receiver with a handler. */
async function runCopied(
  code: string,
  profile: Profile,
  handler: () => undefined | Promise<never>,
): Promise<void> {
  const secrets = [SECRET];
  const provider = providerOf(profile);
  const options = { secrets, provider, fallback: () => undefined, log: false } as const;
  const receiver = createReceiver({ ...options, inbox: memoryInbox() });
  receiver.on("payment.created", handler);
  // The test without its imports, and with what they import.
  const body = code.replaceAll(/^import .*$/gm, "");
  const given = { signedAttempt, reference, xSignature, expect, receiver };
  const process = { env: { WEBHOOK_SECRET: SECRET } };
  let test = (): Promise<void> => Promise.reject(new Error("the text defines no test"));
  const define = (_: string, defined: () => Promise<void>): void => void (test = defined);
  runInNewContext(body, { ...given, process, it: define });
  await test();
}
