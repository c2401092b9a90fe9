import {
  githubReport,
  htmlReport,
  jsonReport,
  junitReport,
  markdownReport,
  receiverChecks,
  receiverTarget,
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
import { hostilities, serveHostile } from "./hostile-servers.ts";

export interface Meeting {
  readonly document: ReportDocument;
  /** First lines of the requests that the hostile server got. */
  readonly asked: readonly string[];
  /** Requests that the kit sent elsewhere than it was told to. */
  readonly strayed: readonly string[];
  /** Processor time, in milliseconds. */
  readonly cpuMs: number;
  /** Bytes that are held after the run and were not before. */
  readonly keptBytes: number;
}

/** Every check against a hostile target; or against a good one whose effects are hostile. */
export async function meet(name: string, where: "attempts" | "effects"): Promise<Meeting> {
  const hostility = hostilities[name];
  if (hostility === undefined) throw new Error(`there is no hostility ${name}`);
  const hostile = await serveHostile(hostility);
  const good = await serve();
  const before = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  try {
    const target = receiverTarget({
      url: where === "attempts" ? hostile.url : good.url,
      effectsUrl: where === "effects" ? hostile.url : good.effectsUrl,
      secrets,
      profile: profiles.standard,
      deadlineMs: 400,
      effectsWaitMs: 100,
    });
    const report = await run({ target, checks: receiverChecks, requirements: requirements() });
    const { user, system } = process.cpuUsage(cpu);
    return {
      document: reportOfRun(report),
      asked: hostile.asked,
      strayed: hostile.asked.filter((line) => !/^[A-Z]+ \/webhooks HTTP\/1\.1$/.test(line)),
      cpuMs: (user + system) / 1000,
      keptBytes: process.memoryUsage().rss - before,
    };
  } finally {
    await Promise.all([hostile.close(), good.close()]);
  }
}

/** The report in every format that people and programs read. */
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

/** What of a report would do something where it is shown; nothing, where it is plain text. */
export function injectedInto(format: string, text: string): readonly string[] {
  const everywhere: readonly RegExp[] = [/[^\P{Cc}\n\t]/u, /[\u202A-\u202E\u2066-\u2069]/];
  const patterns: Readonly<Record<string, readonly RegExp[]>> = {
    terminal: [/\t/],
    html: [/<script/i, /<img/i, /<[^>]+\son\w+\s*=/i, /javascript:[^<]*"/],
    junit: [/<pwned/, /<script/, /&pwned;/],
    markdown: [],
    github: [/^::(?!(?:error|warning|notice) )/m, /^##\[/m, /^::[^:]*file=pwned/m],
    json: [],
  };
  return [...everywhere, ...(patterns[format] ?? [])].flatMap((pattern) => {
    const found = pattern.exec(text);
    return found === null
      ? []
      : [
          `${format}: ${JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index + 60))}`,
        ];
  });
}
