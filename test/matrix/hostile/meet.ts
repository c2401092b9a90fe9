import {
  githubReport,
  hostReceiver,
  htmlReport,
  httpSend,
  jsonReport,
  junitReport,
  markdownReport,
  providerChecks,
  type ProviderTarget,
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
import {
  type Hostility,
  serveHostile,
} from "../../../packages/contract-kit/test/receiver/hostile-target.ts";
import { secrets } from "../receivers/conduct.ts";
import { serve } from "../receivers/serve.ts";
import { hostilities } from "./servers.ts";

/** Runs every receiver check against a hostile target, or a good one with hostile effects. */
export async function meetReceiver(name: string, where: "attempts" | "effects") {
  const hostile = await serveHostile(hostilityOf(name));
  const good = await serve();
  const url = `${hostile.origin}/webhooks`;
  const target = receiverTarget({
    url: where === "attempts" ? url : good.url,
    effectsUrl: where === "effects" ? url : good.effectsUrl,
    secrets,
    profile: profiles.standard,
    deadlineMs: 400,
    effectsWaitMs: 100,
  });
  try {
    return reported(await run({ target, checks: receiverChecks, ...common }), hostile.said);
  } finally {
    await Promise.all([hostile.close(), good.close()]);
  }
}

/** Runs every provider check against a hostile service. */
export async function meetProvider(name: string, secret: string) {
  const hostile = await serveHostile(hostilityOf(name));
  const { send, close } = httpSend(hostile.origin, { timeoutMs: 300 });
  const receiver = await hostReceiver({ deliveryMs: 100 });
  const target: ProviderTarget = {
    role: "provider",
    url: hostile.origin,
    send,
    token: () => Promise.resolve("a-token"),
    client: { id: "a-client", secret },
    profile: profiles.standard,
    receiver,
  };
  try {
    return reported(await run({ target, checks: providerChecks, ...common }), hostile.said);
  } finally {
    close();
    receiver.close();
    await hostile.close();
  }
}

const common = { requirements: requirements(), runs: 3 };

function hostilityOf(name: string): Hostility {
  const found = hostilities[name];
  if (found === undefined) throw new Error(`unknown hostility ${name}`);
  return found;
}

/** A report with the first lines of the requests that led to it, and the injections in any format. */
function reported(report: Report, said: readonly string[]) {
  const document = reportOfRun(report);
  const texts = Object.entries(formatsOf(document));
  const injected = texts.flatMap(([format, text]) => injectedInto(format, text));
  return { report, document, asked: said.map((text) => text.split("\r\n")[0] ?? ""), injected };
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
