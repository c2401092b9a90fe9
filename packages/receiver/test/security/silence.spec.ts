import { inspect } from "node:util";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  attemptOf,
  genuine,
  nameOf,
  NOON,
  otherSecret,
  recordingReceiver,
  refundAuthorized,
  secret,
} from "../fixtures.ts";

const key = Buffer.from(secret.slice("whsec_".length), "base64");
const { "webhook-signature": signature = "" } = genuine.headers;

/** Collects everything that this process writes until the test ends. */
function collectOutput(): string[] {
  const heard: string[] = [];
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((text) => {
      heard.push(typeof text === "string" ? text : Buffer.from(text).toString());
      return true;
    });
  for (const name of ["log", "info", "warn", "error", "debug", "trace"] as const)
    vi.spyOn(console, name).mockImplementation((...words) => void heard.push(inspect(words)));
  vi.spyOn(process, "emitWarning").mockImplementation(
    (...words) => void heard.push(inspect(words)),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  return heard;
}

describe("A25: a secret or a payload", () => {
  const canary = "canary-3e7ad1";
  const event = refundAuthorized();
  const data = { ...event.data, clientReferenceId: canary };

  const sent = attemptOf({ ...event, data });
  /** Attempts of every outcome, whose bodies, headers and errors all contain the canary. */
  const attempts = [
    sent,
    sent,
    attemptOf({ ...event, data, note: canary }),
    attemptOf({ ...event, id: "evt_2", data: { paymentId: 7, canary } }),
    attemptOf({ ...event, data, id: "evt_3", type: canary.replace("-", ".") }),
    attemptOf(`{"${canary}":`, { id: "evt_4" }),
    attemptOf({ ...event, data, id: "evt_5" }, { secrets: [otherSecret] }),
    attemptOf({ ...event, data, id: "evt_throws" }),
    { ...genuine, headers: { "webhook-signature": canary } },
    { ...genuine, headers: { authorization: `Bearer ${canary}`, "content-encoding": "gzip" } },
  ];

  it("[R-LOG-NOTHING] is in no stream, warning or answer, whatever the outcome", async () => {
    const heard = collectOutput();
    const write = (text: string): void => void heard.push(text);
    const { receiver } = recordingReceiver({ log: { warn: write, error: write } });
    receiver.on("refund.authorized", ({ id }) => {
      if (id === "evt_throws") throw new Error(`${secret} ${secret.slice(6)} is wrong`);
    });
    for (const attempt of attempts)
      heard.push(JSON.stringify((await receiver.answer(attempt)).response));

    const written = heard.join("\n");
    for (const word of [
      canary,
      Buffer.from(canary).toString("base64").slice(0, -4),
      Buffer.from(canary).toString("hex"),
      secret,
      secret.slice(6),
      key.toString("hex"),
      key.toString("base64url"),
      sent.headers["webhook-signature"]?.slice(3) ?? canary,
      event.data.paymentId,
    ])
      expect(written).not.toContain(word);
    for (const expected of ["[secret] [secret] is wrong", "CS_HANDLER_FAILED", "CS_EVENT_SCHEMA"])
      expect(written).toContain(expected);
  });

  it("is not in the receiver as util.inspect and JSON show it", () => {
    const { receiver } = recordingReceiver();
    const shown = `${inspect(receiver, { depth: 20, showHidden: true })}${JSON.stringify(receiver)}`;
    expect(shown).not.toContain(secret.slice(6));
    expect(shown).not.toContain(key.toString("hex"));
  });
});

describe("A26: an attempt that is not genuine", () => {
  const now = String(NOON / 1000);
  const times = ["", "0", "-1", `${now}junk`, String(NOON), `${now}1`, `${now}, ${now}`];
  const signatures = ["", "v1", "v1,", "v1,!!!", "v2,AAAA", signature.slice(0, -4)];
  const wrong: Record<string, readonly (string | string[] | undefined)[]> = {
    "webhook-id": ["", "evt.1", "evt_other", "x".repeat(257), "x".repeat(5000)],
    "webhook-timestamp": times,
    "webhook-signature": [
      ...signatures,
      signature.replace("v1,", "v1a,"),
      `v1,${Buffer.alloc(32).toString("base64")}`,
      Array(9).fill(signature).join(" "),
      `${signature}\u00e9`,
    ],
  };
  const attempts = [
    ...Object.entries(wrong).flatMap(([name, values]) => {
      const { [name]: sent = "", ...headers } = genuine.headers;
      const changed = [...values, [sent, sent]].map((value) => ({ ...headers, [name]: value }));
      return [headers, ...changed].map((one) => ({ ...genuine, headers: one }));
    }),
    { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(" ")]) },
    attemptOf(refundAuthorized(), { secrets: [otherSecret] }),
    attemptOf(refundAuthorized(), { now: NOON - 301_000 }),
    attemptOf(refundAuthorized(), { now: NOON + 301_000 }),
  ];

  it("[R-VERIFY-ALIKE] [R-VERIFY-UNSIGNED] [R-VERIFY-TAMPERED] [R-VERIFY-WRONG-KEY] gets the same 401 for each of thirty causes", async () => {
    const { receiver, outcomes, handled } = recordingReceiver();
    const answers = [];
    for (const attempt of attempts) answers.push((await receiver.answer(attempt)).response);
    const tenantless = recordingReceiver({ secrets: () => ({ tenant: "", secrets: [] }) });
    answers.push((await tenantless.receiver.answer(genuine)).response);

    expect(answers.length).toBeGreaterThan(30);
    expect([...new Set(answers.map((answer) => JSON.stringify(answer)))]).toEqual([
      '{"status":401,"headers":{"content-type":"application/json"},"body":"{\\"code\\":\\"CS_SIGNATURE_REFUSED\\"}"}',
    ]);
    expect(handled).toEqual([]);
    // Only the merchant sees the reason.
    expect(new Set(outcomes.map(nameOf)).size).toBeGreaterThan(9);
    expect(tenantless.outcomes.map(nameOf)).toEqual(["CS_TENANT_UNKNOWN"]);
  });
});
