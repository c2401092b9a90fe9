import { profiles } from "@countersign/schemas/profiles";
import { describe, expect, it } from "vitest";
import { subjectOf } from "../src/use-cases/event-subject.ts";
import { writeEnvelope } from "../src/write-envelope.ts";

const data = { paymentId: "ref_1", paymentStatus: "PENDING", clientReferenceId: null };
const event = {
  id: "evt_1",
  type: "refund.pending",
  category: "PAYMENT",
  timestamp: "2026-11-20T15:00:00.000Z",
  data,
  resource: "/data/paymentId",
  subject: subjectOf("refund.pending", data),
};

describe("an event's envelope", () => {
  it("is the five members of the standard profile, in their order", () => {
    const { id, type, category, timestamp } = event;
    const text = JSON.stringify(writeEnvelope(profiles.standard.envelope, event));
    expect(text).toBe(JSON.stringify({ id, type, category, timestamp, data }));
  });

  it("has the resource's members beside the others where the profile is flat", () => {
    const places = { id: "/eventId", type: "/eventType", timestamp: "/time", data: "" };
    expect(writeEnvelope(places, { ...event, resource: "/paymentId" })).toEqual({
      eventId: "evt_1",
      eventType: "refund.pending",
      time: "2026-11-20T15:00:00.000Z",
      ...data,
    });
  });

  it("says whose resource it is where the resource itself does not", () => {
    const places = { id: "/id", type: "/type", timestamp: "/meta/at", data: "/body/resource" };
    expect(writeEnvelope(places, { ...event, resource: "/meta/resourceId" })).toEqual({
      id: "evt_1",
      type: "refund.pending",
      meta: {
        at: "2026-11-20T15:00:00.000Z",
        resourceId: "ref_1",
        resourceType: "payment",
        paymentType: "CREDIT",
      },
      body: { resource: data },
    });
  });

  it("keeps a resource without members an object", () => {
    const envelope = writeEnvelope(profiles.standard.envelope, { ...event, data: {} });
    expect(envelope).toMatchObject({ data: {} });
  });

  it("reaches no prototype, whatever a profile's pointers name", () => {
    const places = { ...profiles.standard.envelope, timestamp: "/__proto__/polluted" };
    const text = JSON.stringify(writeEnvelope(places, event));
    expect(text).toContain('"__proto__":{"polluted":"2026');
    expect({}).not.toHaveProperty("polluted");
  });
});
