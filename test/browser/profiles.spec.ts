import { runInNewContext } from "node:vm";
import { createReceiver } from "@countersign/receiver";
import { signedAttempt } from "@countersign/receiver/testing";
import { sampleEvent } from "@countersign/sandbox";
import { profiles, type Profile } from "@countersign/schemas/profiles";
import { systemRandom } from "@countersign/service";
import { schemeOf } from "@countersign/signatures";
import { describe, expect, it } from "vitest";
import { judgePayload } from "../../packages/inspector/src/event/judge-payload.ts";
import type {
  About,
  RefundDetail,
  TimelinePage,
} from "../../packages/inspector/src/remote/shapes.ts";
import { subjectOf } from "../../packages/inspector/src/timeline/subject-of.ts";
import { valueAt } from "../../packages/inspector/src/event/value-at.ts";
import { attemptTest } from "../../packages/inspector/src/event/snippets.ts";
import { openInspector, SECRET } from "./open-inspector.ts";

const types = ["giro", "cheque"];
const ownTypes: Profile = {
  ...profiles.standard,
  name: "own-types",
  account: { ...profiles.standard.account, types },
};

describe("the inspector of another profile", () => {
  it("tells what an event is about by the profile's places", async () => {
    const one = await openInspector({ profile: profiles["x-signature"] });
    // What each answers is the sandbox's promise to the page.
    const about = (await one.api("GET", "/sandbox/inspect")).body as About;
    const page = (await one.api("GET", "/sandbox/inspect/timeline")).body as TimelinePage;
    const told = (await one.api("GET", "/sandbox/events")).body as {
      events: { id: string; type: string; payload: string }[];
    };
    expect(page.events.length).toBeGreaterThan(10);
    expect(page.events.map(({ subject }) => subject)).not.toContain(null);
    for (const event of told.events) {
      const row = page.events.find(({ id }) => id === event.id);
      expect(subjectOf(event, about.events)).toBe(row?.subject);
    }
    expect(about.events.map(({ type }) => type)).toEqual([
      ...new Set(about.events.map(({ type }) => type)),
    ]);
  });

  it("shows the history of a refund", async () => {
    const one = await openInspector({ profile: profiles["x-signature"] });
    const { payments } = (await one.api("GET", "/sandbox/payments")).body as {
      payments: { paymentId: string; paymentStatus: string }[];
    };
    const paid = payments.find(({ paymentStatus }) => paymentStatus === "SUCCEEDED");
    const refund = `{"paymentId":"${paid?.paymentId ?? ""}","amount":{"currency":"USD","value":1},"requestKey":"one"}`;
    const { paymentId } = (await one.api("POST", "/v1/refunds", refund)).body as {
      paymentId: string;
    };
    const detail = (await one.api("GET", `/sandbox/inspect/refunds/${paymentId}`))
      .body as RefundDetail;
    expect(detail.history.map(({ type }) => type)).toEqual([
      "payment.created",
      "payment.succeeded",
      expect.stringMatching(/^payment\.(?:pending|authorized)$/),
    ]);
  });

  it.each([profiles.standard, profiles["x-signature"], ownTypes])(
    "finds that what $name writes fits, and what is wrong in it",
    async (profile) => {
      const one = await openInspector({ profile });
      const about = (await one.api("GET", "/sandbox/inspect")).body as About;
      for (const { type } of about.events) {
        const at = Date.parse("2026-11-20T15:00:00.000Z");
        const sample = sampleEvent({ profile, type, at, random: systemRandom });
        if (!sample.ok) throw new Error(sample.code);
        const judged = judgePayload({ type, payload: sample.body }, about);
        expect([type, judged.faults]).toEqual([type, []]);
        const value: unknown = JSON.parse(sample.body);
        Object.assign(valueAt(value, about.envelope.data) as object, { strange: 7 });
        const wrong = JSON.stringify(value);
        const [fault] = judgePayload({ type, payload: wrong }, about).faults;
        expect([type, fault?.pointer]).toEqual([type, `${about.envelope.data}/strange`]);
      }
      expect(
        judgePayload({ type: about.events[0]?.type ?? "", payload: "no JSON" }, about).faults,
      ).not.toHaveLength(0);
    },
  );

  it.each([profiles.standard, profiles["x-signature"]])(
    "gives a test of an event to copy that a receiver of $name passes",
    async (profile) => {
      const one = await openInspector({ profile });
      const about = (await one.api("GET", "/sandbox/inspect")).body as About;
      const made = await one.api("POST", "/sandbox/events", { type: "payment.created" });
      const event = made.body as { id: string; type: string; payload: string };
      const receiver = createReceiver({ secrets: [SECRET], profile, fallback: () => undefined }).on(
        "payment.created",
        () => undefined,
      );
      // What stands below its imports, with what they import.
      const body = attemptTest(event, about.signature).replaceAll(/^import .*$/gm, "");
      const given = {
        signedAttempt,
        schemeOf,
        expect,
        receiver,
        process: { env: { WEBHOOK_SECRET: SECRET } },
      };
      const tests: [string, () => Promise<void>][] = [];
      const note = (name: string, test: () => Promise<void>) => tests.push([name, test]);
      runInNewContext(body, { ...given, it: note });
      expect(tests.map(([name]) => name)).toEqual(["handles payment.created"]);
      await tests[0]?.[1]();
      expect.assertions(2);
    },
  );

  it("links accounts of the profile's types, the first where none is named", async () => {
    const one = await openInspector({ profile: ownTypes });
    const about = (await one.api("GET", "/sandbox/inspect")).body as About;
    expect(about.accountTypes).toEqual(types);
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
