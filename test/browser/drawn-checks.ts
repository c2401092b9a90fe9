import type { CheckRunner } from "@countersign/sandbox";

const rows = [
  {
    group: "receiver/genuine",
    title: "a genuine attempt of every event type is acknowledged in time, and handled once",
    requirement: "R-ACK-GENUINE",
    level: "MUST",
    name: "A genuine attempt of every event type is acknowledged with a status that the sender takes for success.",
    source: "Standard Webhooks, Delivery success and failure",
    why: "The sender would make attempts for days, and then give up.",
    status: "pass",
  },
  {
    group: "receiver/unsigned",
    title: "an attempt without a signature, or without what it signs, is refused",
    requirement: "R-VERIFY-UNSIGNED",
    level: "MUST",
    name: "An attempt without a signature is refused, and no handler runs.",
    source: "S 5.3",
    why: "Anyone can post to a public address.",
    status: "fail",
  },
  {
    group: "receiver/headers",
    title: "a header of the signature that stands twice is refused",
    requirement: "R-HEADER-ONCE",
    level: "SHOULD",
    name: "A header of the signature that stands twice is refused.",
    source: "Standard Webhooks",
    why: "Two parsers may believe two headers.",
    status: "warn",
  },
  {
    group: "receiver/routing",
    title: "one handler runs for an event",
    requirement: "R-ROUTE-ONE",
    level: "MUST",
    name: "Exactly one handler runs for an event: its type's, else its category's, else the fallback.",
    source: "S 6.2",
    why: "With several, a retry after one fails runs the others again.",
    status: "not_applicable",
  },
] as const;

const sent = [
  "POST /webhooks HTTP/1.1",
  "Host: localhost:3000",
  "Content-Length: 62",
  "Content-Type: application/json",
  "",
  '{"id":"cstest_1","type":"payment.created","category":"PAYMENT"}',
].join("\n");

const entries = rows.map(({ group, requirement, status, name, source, why, level }) => ({
  id: `${group}#${requirement}`,
  group,
  requirement,
  level,
  name,
  source,
  why,
  status,
  page: `docs/requirements.md#${requirement.toLowerCase()}`,
  ms: 42,
  message: "",
  ...(status === "fail" && {
    message: "an attempt without any header of the scheme: a refusal expected, 204 came",
    fix: "Refuse an attempt without the signature's headers before anything else is done.",
    evidence: {
      curl: [],
      exchanges: [{ sent, received: "HTTP/1.1 204 No Content\nConnection: close" }],
    },
    replay:
      "countersign verify receiver --url http://localhost:3000/webhooks --only receiver/unsigned --seed 1",
  }),
}));

/** A run of the checks as it is drawn in the docs: the same findings each time, without a receiver. */
export const drawnChecks: CheckRunner = {
  owed: () => Promise.resolve(rows.map((row) => ({ id: row.requirement, ...row }))),
  run: ({ onCheck, onEntry }) => {
    rows.forEach(({ group, title }, index) =>
      onCheck({ check: group, title, place: index + 1, total: rows.length }),
    );
    for (const entry of entries) onEntry(entry);
    const about = {
      profile: { name: "standard" },
      seed: 1,
      startedAt: "2026-11-20T15:00:00.000Z",
      kit: "0.1.0",
    };
    return Promise.resolve({ about, notes: [], problems: [], uncovered: [], exitCode: 1 });
  },
};
