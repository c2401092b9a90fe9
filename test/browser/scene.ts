import type { CheckRunner } from "@countersign/service/sandbox";
import { profiles } from "@countersign/schemas/profiles";
import { beforeAll } from "vitest";
import { receiverCheckRunner } from "../../packages/cli/src/receiver-check-runner.ts";
import { atEndOfFile } from "../temporary-folder.ts";
import { openInspector, type OpenInspector, type Target } from "./open-inspector.ts";

/** Sample data with deliveries in every state, for the tasks, pictures and accessibility checks of the page. */
export interface Scene {
  readonly one: OpenInspector;
  /** The event whose handler fails. */
  readonly failing: string;
  readonly refund: string;
  readonly payment: string;
  readonly endpoint: string;
}

/** One scene for the tests of a file. */
export function sceneOfFile(): () => Scene {
  const atEnd = atEndOfFile();
  let scene: Scene;
  beforeAll(async () => {
    scene = await makeScene(await openInspector({ checksOf: drawnChecks }, atEnd));
  });
  return () => scene;
}

/** Makes an endpoint that accepts, refuses and fails, a refund that waits, and an event that is delivered after a fault. */
async function makeScene(one: OpenInspector): Promise<Scene> {
  const { api, receiver } = one;
  // The clock answers when everything that is due has been attempted.
  const attempt = (advance: string) => api("PUT", "/sandbox/clock", { advance });
  const send = async (type: string): Promise<string> => {
    const { body } = await api("POST", "/sandbox/events", { type });
    await attempt("PT0S");
    // The sandbox's own answer.
    return (body as { id: string }).id;
  };
  const made = await api("POST", "/sandbox/inspect/endpoints", {});
  const { subscriptionKey: endpoint } = made.body as { subscriptionKey: string };
  const fault = { route: "attempt", kind: "status", status: 500, times: 1 };
  await api("PUT", "/sandbox/faults", { faults: [fault] });
  await send("payment.succeeded");
  await attempt("PT10S");
  for (const type of ["customer.activated", "account.linked", "payment.created"]) await send(type);

  let isFirst = true;
  receiver.answerOf = (body) =>
    body.includes("payment.failed") && !isFirst ? '{"code":"CS_HANDLER_FAILED"}' : "";
  receiver.statusOf = (body) => {
    if (body.includes("customer.created")) return 401;
    if (body.includes("refund.pending")) return 503;
    return body.includes("payment.failed") ? (isFirst ? 500 : 503) : 204;
  };
  await send("customer.created");
  const failing = await send("payment.failed");
  const payment = one.seeded.payments.recent;
  const order = `{"paymentId":"${payment}","amount":{"currency":"USD","value":10.50},"requestKey":"order-7"}`;
  const asked = await api("POST", "/v1/refunds", order);
  const { paymentId: refund } = asked.body as { paymentId: string };
  isFirst = false;
  await attempt("PT10S");
  await api("POST", "/sandbox/inspect/checks", {});
  return { one, failing, refund, payment, endpoint };
}

const statuses: Readonly<Record<string, string>> = {
  "R-ACK-GENUINE": "pass",
  "R-VERIFY-UNSIGNED": "fail",
  "R-HEADER-ONCE": "warn",
  "R-ROUTE-ONE": "not_applicable",
};

const failure = {
  message: "an attempt without any header of the scheme: expected a refusal, got 204",
  fix: "Refuse an attempt without the signature's headers before anything else is done.",
  exchanges: [
    {
      sent: 'POST /webhooks HTTP/1.1\nHost: localhost:3000\nContent-Length: 62\n\n{"id":"cstest_1","type":"payment.created","category":"PAYMENT"}',
      received: "HTTP/1.1 204 No Content\nConnection: close",
    },
  ],
  replay:
    "countersign verify receiver --url http://localhost:3000/webhooks --only receiver/forged --seed 1",
};

/** A run of the checks as it is drawn in the docs: the same findings each time, without a receiver. */
export function drawnChecks(target: Target): CheckRunner {
  const { standard: profile } = profiles;
  const runner = receiverCheckRunner({ ...target, profile, profileName: "standard" });
  const planned = async () => {
    // The runner's own entries have these members.
    const all = (await runner.planned()) as Record<"group" | "title" | "requirement", string>[];
    return Object.keys(statuses).flatMap(
      (id) => all.find(({ requirement }) => requirement === id) ?? [],
    );
  };
  return {
    planned,
    run: async ({ onCheck, onEntry }) => {
      const rows = await planned();
      for (const [index, { group, title, requirement }] of rows.entries()) {
        onCheck({ check: group, title, place: index + 1, total: rows.length });
        const status = statuses[requirement];
        const page = `https://github.com/countersign/countersign/blob/main/docs/reference/requirements.md#${requirement.toLowerCase()}`;
        const found = { status, page, ms: 42, message: "", ...(status === "fail" && failure) };
        onEntry({ id: `${group}#${requirement}`, group, requirement, ...found });
      }
      const startedAt = "2026-11-20T15:00:00.000Z";
      const about = { profile: "standard", seed: 1, startedAt, kit: "0.1.0" };
      return { about, notes: [], problems: [], uncovered: [], exitCode: 1 };
    },
  };
}
