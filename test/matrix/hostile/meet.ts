import {
  githubReport,
  hostReceiver,
  htmlReport,
  httpSend,
  jsonReport,
  junitReport,
  markdownReport,
  providerChecks,
  receiverChecks,
  receiverTarget,
  type Report,
  type ReportDocument,
  reportOfRun,
  requirements,
  run,
  terminalEntry,
  terminalSummary,
} from "@countersign/contract-kit";
import { profiles } from "@countersign/schemas/profiles";
import { secrets } from "../receivers/conduct.ts";
import { serve } from "../receivers/serve.ts";
import { serveHostile } from "./servers.ts";

export interface Meeting {
  readonly report: Report;
  readonly document: ReportDocument;
  /** First lines of the requests that the hostile server received. */
  readonly asked: readonly string[];
  /** Injections that the report contains, in any format. */
  readonly injected: readonly string[];
}

/** Runs every receiver check against a hostile target, or a good one with hostile effects. */
export async function meetReceiver(name: string, where: "attempts" | "effects"): Promise<Meeting> {
  const hostile = await serveHostile(name);
  const good = await serve();
  try {
    const target = receiverTarget({
      url: where === "attempts" ? `${hostile.origin}/webhooks` : good.url,
      effectsUrl: where === "effects" ? `${hostile.origin}/webhooks` : good.effectsUrl,
      secrets,
      profile: profiles.standard,
      deadlineMs: 400,
      effectsWaitMs: 100,
    });
    const report = await run({ target, checks: receiverChecks, requirements: requirements() });
    return meeting(report, hostile.asked);
  } finally {
    await Promise.all([hostile.close(), good.close()]);
  }
}

/** Runs every provider check against a hostile service. */
export async function meetProvider(name: string, secret: string): Promise<Meeting> {
  const hostile = await serveHostile(name);
  const { send, close } = httpSend(hostile.origin, { timeoutMs: 300 });
  const receiver = await hostReceiver({ deliveryMs: 100 });
  try {
    const report = await run({
      target: {
        role: "provider",
        url: hostile.origin,
        send,
        token: () => Promise.resolve("a-token"),
        client: { id: "a-client", secret },
        profile: profiles.standard,
        receiver,
      },
      checks: providerChecks,
      requirements: requirements(),
      runs: 3,
    });
    return meeting(report, hostile.asked);
  } finally {
    close();
    receiver.close();
    await hostile.close();
  }
}

function meeting(report: Report, asked: readonly string[]): Meeting {
  const document = reportOfRun(report);
  const texts = Object.entries(formatsOf(document));
  const injected = texts.flatMap(([format, text]) => injectedInto(format, text));
  return { report, document, asked, injected };
}

/** Renders the report in every format. */
export function formatsOf(document: ReportDocument): Readonly<Record<string, string>> {
  return {
    terminal: [...document.entries.flatMap(terminalEntry), ...terminalSummary(document)].join("\n"),
    html: htmlReport(document),
    junit: junitReport(document),
    markdown: markdownReport(document),
    github: githubReport(document),
    json: jsonReport(document),
  };
}

const everywhere: readonly RegExp[] = [/[^\P{Cc}\n\t]/u, /[\u202A-\u202E\u2066-\u2069]/];
const patterns: Readonly<Record<string, readonly RegExp[]>> = {
  terminal: [/\t/],
  html: [/<script/i, /<img/i, /<[^>]+\son\w+\s*=/i, /javascript:[^<]*"/],
  junit: [/<pwned/, /<script/, /&pwned;/],
  github: [/^::(?!(?:error|warning|notice) )/m, /^##\[/m, /^::[^:]*file=pwned/m],
};

/** Finds text of a report that would do something where it is shown. */
export function injectedInto(format: string, text: string): readonly string[] {
  return [...everywhere, ...(patterns[format] ?? [])].flatMap((pattern) => {
    const at = text.search(pattern);
    return at < 0
      ? []
      : [`${format}: ${JSON.stringify(text.slice(Math.max(0, at - 40), at + 60))}`];
  });
}
