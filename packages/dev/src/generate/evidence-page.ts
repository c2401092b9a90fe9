import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";
import type { Evidence } from "../../../../test/evidence.ts";
import { root } from "../published.ts";
import { readJson } from "./load.ts";
import { markdownPage, markdownTable } from "./markdown.ts";

type Results = Evidence<Readonly<Record<string, unknown>>>;

/** The reason why mutants whose source line contains the text need no test. `file` is a path from the root. */
interface Argument {
  readonly file: string;
  readonly code: string;
  readonly why: string;
}

/** All campaigns, by the command that runs them: the page lists those without a result. */
const PLANNED: Readonly<Record<string, string>> = {
  "npm run test:long -- contracts/test/mutation": "mutation-pacts-receiver mutation-pacts-service",
  "npm run test:long -- packages/rules/test/business-days.slow.ts": "business-days",
  "npm run test:long -- packages/service/test/delivery/egress.slow.ts":
    "ssrf-rebindings ssrf-spellings",
  "npm run test:long -- packages/service/test/delivery/simulation": "delivery-simulation",
  "npm run test:long -- packages/service/test/use-cases": "service-year",
  "npm run test:long -- packages/signatures/test/differential.slow.ts":
    "verifications-octokit-webhooks-methods verifications-standardwebhooks verifications-stripe verifications-svix",
  "npm run test:long -- test/chaos/clock-steps.slow.ts":
    "clock-steps-postgres-0-1-of-2 clock-steps-postgres-0-of-1 clock-steps-postgres-0-of-2 clock-steps-postgres-1-of-2 clock-steps-sqlite-0-of-1",
  "npm run test:long -- test/chaos/crash.slow.ts": [
    "sqlite-after-handler",
    "sqlite-after-store",
    "postgres-after-handler",
    "postgres-after-store",
    "redis-after-handler",
  ]
    .flatMap((lane) => [`receiver-${lane}`, `receiver-${lane}-shared`])
    .concat("receiver-redis-restarts")
    .join(" "),
  "npm run test:long -- test/chaos/delivery.slow.ts":
    "delivery-postgres-4 delivery-sqlite-2 serve-postgres serve-sqlite",
  "npm run test:long -- test/chaos/soak.slow.ts": "soak-postgres soak-sqlite",
  "npm run test:long -- test/chaos/store-faults.slow.ts": "faults-postgres faults-sqlite",
  "npm run test:long -- test/fuzz/adapters.slow.ts": [
    "tonode-on-node-http",
    "toexpress-on-express-5",
    "toexpress-on-express-4",
    "tofastify-on-fastify-5",
    "tofetch-on-hono",
    "tolambda-behind-api-gateway-1-0",
    "tolambda-behind-api-gateway-2-0",
    "tolambda-behind-a-function-url",
    "tolambda-behind-a-load-balancer",
    "tolambda-behind-a-load-balancer-with-multi-value-headers",
  ]
    .map((name) => `hostile-requests-${name}`)
    .join(" "),
  "npm run mutate -- PART":
    "mutation-delivery-decisions mutation-receiver mutation-refunds mutation-rules mutation-signatures",
};

/**
 * Builds the page of the campaigns from `docs/evidence/*.json`: what ran, on which commit, at which length.
 *
 * @returns The page and the charts of the soaks, by path.
 */
export function evidencePages(): Readonly<Record<string, string>> {
  const campaigns = globSync("docs/evidence/*.json", { cwd: root })
    .filter((path) => !/(?:notes|survivors)\.json$/.test(path))
    .toSorted()
    // Written by the campaigns only.
    .map((path) => readJson(path) as Results);
  const incomplete = campaigns.filter(({ length: { done, goal } }) => done < goal);
  const charts = campaigns.flatMap(({ campaign, result: { samples } }) =>
    // The campaign of the soak writes a list of texts.
    samples === undefined ? [] : [[campaign, soakChart(samples as readonly string[])] as const],
  );
  const notes = readJson("docs/evidence/notes.json") as Readonly<Record<string, string>>;
  const page = markdownPage(
    { title: "Evidence", from: "docs/evidence/*.json" },
    `Each section is one campaign that ran, with the commit whose sources it measured. \`npm test\` runs a short form of each,
except of the soaks, of Stryker's mutation and of the store's faults (\`faults-*\`), of which it only ends PostgreSQL's connections.
A command resumes an incomplete campaign if those sources have not changed since;
\`--restart\` repeats it from its seed. A list of faults appears as its length, which must be 0. **Short** marks a campaign below its
planned length: ${String(incomplete.length)} of ${String(campaigns.length)}.`,
    "## Campaigns",
    ...campaigns.flatMap((one) => campaignSection(one, notes[one.campaign])),
    ...missingSection(campaigns),
    ...survivorsSection(campaigns),
  );
  const files = charts.map(([campaign, svg]) => [`docs/evidence/${campaign}.svg`, svg] as const);
  return { "docs/evidence.md": page, ...Object.fromEntries(files) };
}

function campaignSection(one: Results, note: string | undefined): readonly string[] {
  const { campaign, commit, command, startedAt, seconds, result } = one;
  const changes = commit.endsWith("-dirty") ? " **with changes**" : "";
  const start = `${startedAt.slice(0, 16).replace("T", " ")} UTC`;
  return [
    `### ${campaign}`,
    `${lengthOf(one.length)}: ${resultOf(result)}.`,
    ...(note === undefined ? [] : [`Note: ${note}`]),
    `Commit \`${commit.slice(0, 9)}\`${changes}, ${start}, ${timeOf(seconds)}. Repeat with \`${command}\`.`,
    ...(result["samples"] === undefined
      ? []
      : [`![Measured values, each from 0 to its maximum](evidence/${campaign}.svg)`]),
  ];
}

/** Meaning of a count whose name does not explain it. */
const meanings: Readonly<Record<string, string>> = {
  ambiguous: "booked but not acknowledged when killed",
  answered: "answered",
  asked: "refunds requested",
  differing: "days that differ",
  ended: "processes ended",
  forgotten: "answered refunds missing or changed",
  lost: "lost events",
  mistold: "events with another state in the store",
  percent: "% killed",
  reached: "connections made",
  repeated: "events delivered again",
  repeatedOutside: "outside calls repeated",
  sentAgain: "acknowledged events sent again",
  twice: "events booked twice",
  unanswered: "calls without an answer",
  untold: "refunds with missing or extra events",
  waiting: "events undelivered at the end",
  wrong: "refunds authorized at another time",
};

const number = (value: number): string => value.toLocaleString("en-US");
const timeOf = (seconds: number): string =>
  seconds < 120 ? `${String(seconds)} s` : `${String(Math.round(seconds / 60))} min`;
const lengthOf = ({ done, goal, unit }: Results["length"]): string =>
  done >= goal
    ? `${number(done)} ${unit}`
    : `**Short:** ${number(done)} of ${number(goal)} ${unit}`;

/** Names are those of the JSON's members: `falseAccepts` is printed as "false accepts". */
function resultOf(result: Readonly<Record<string, unknown>>): string {
  return Object.entries(result)
    .flatMap(([name, value]) => {
      const words =
        meanings[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      if (typeof value === "number") return [`${number(value)} ${words}`];
      if (Array.isArray(value)) return [`${number(value.length)} ${words}`];
      return [];
    })
    .join(", ");
}

function missingSection(campaigns: readonly Results[]): readonly string[] {
  const present = new Set(campaigns.map(({ campaign }) => campaign));
  const missing = Object.entries(PLANNED).flatMap(([command, names]) => {
    const left = names.split(" ").filter((name) => !present.has(name));
    return left.length === 0 ? [] : [`- \`${command}\`: ${left.join(", ")}`];
  });
  if (missing.length === 0) return [];
  return [
    "## Not measured yet",
    "Campaigns without a result on these sources.",
    missing.join("\n"),
  ];
}

const COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00"];
const [WIDTH, HEIGHT] = [720, 200];

/** Draws each measured value over the minutes, from 0 to its own maximum, as SVG. */
function soakChart(samples: readonly string[]): string {
  // Each is a flat object of numbers, with the minute since the process began.
  const rows = samples.map((text) => JSON.parse(text) as Readonly<Record<string, number>>);
  const minutes = Math.max(1, ...rows.map(({ minute = 0 }) => minute));
  const lines = Object.keys(rows[0] ?? {})
    .filter((name) => name !== "minute")
    .flatMap((name, index) => {
      const most = Math.max(1, ...rows.map((row) => row[name] ?? 0));
      const points = rows.map(
        (row) =>
          `${((WIDTH * (row["minute"] ?? 0)) / minutes).toFixed(1)},${(HEIGHT * (1 - (row[name] ?? 0) / most)).toFixed(1)}`,
      );
      const color = COLORS[index % COLORS.length] ?? "black";
      const label = `${name.replace("MiB", "")}: up to ${number(most)}${name.endsWith("MiB") ? " MiB" : ""}`;
      const [x, y] = [index * 144, HEIGHT + 24];
      return [
        `<polyline fill="none" stroke="${color}" stroke-width="1.5" points="${points.join(" ")}"/>`,
        `<path d="M${String(x)} ${String(y - 4)}h12" stroke="${color}" stroke-width="3"/>`,
        `<text x="${String(x + 16)}" y="${String(y)}">${label}</text>`,
      ];
    });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 ${String(WIDTH + 20)} ${String(HEIGHT + 60)}" font-family="sans-serif" font-size="12">`,
    `<rect x="-10" y="-10" width="100%" height="100%" fill="white"/>`,
    `<path d="M0 0V${String(HEIGHT)}H${String(WIDTH)}" fill="none" stroke="gray"/>`,
    ...lines,
    `<text x="${String(WIDTH)}" y="${String(HEIGHT + 42)}" text-anchor="end">${minutes.toFixed(0)} minutes</text>`,
    "</svg>",
    "",
  ].join("\n");
}

function survivorsSection(campaigns: readonly Results[]): readonly string[] {
  const path = "docs/evidence/survivors.json";
  const rules = existsSync(root + path) ? (readJson(path) as readonly Argument[]) : [];
  const survivors = campaigns.flatMap(({ campaign, result: { survivors: all = [] } }) =>
    // Only the campaign of mutation has the member, a list of `FILE:LINE: CODE → REPLACEMENT`.
    campaign.startsWith("mutation-") ? (all as readonly string[]) : [],
  );
  const ruleOf = (survivor: string): Argument | undefined =>
    rules.find(({ file, code }) => survivor.startsWith(file) && survivor.includes(code));
  const byRule = Map.groupBy(survivors, ruleOf);
  const open = byRule.get(undefined) ?? [];
  if (survivors.length === 0) return [];
  return [
    "## Surviving mutants",
    "Changes of one place in the sources that no test notices, and why no test needs to.",
    markdownTable(
      ["file", "code", "mutants", "why"],
      rules.flatMap((rule) => {
        const count = byRule.get(rule)?.length ?? 0;
        const row = [`\`${basename(rule.file)}\``, `\`${rule.code}\``, String(count), rule.why];
        return count === 0 ? [] : [row];
      }),
    ),
    ...(open.length === 0
      ? []
      : [
          `### Not argued yet: ${String(open.length)}`,
          open.map((one) => `- \`\`${one}\`\``).join("\n"),
        ]),
  ];
}
