import { isRecord, parseJson } from "../values.ts";
import type { RawRequest } from "../harness/message.ts";

/** A part of a request that has disabled signature checks somewhere. */
export interface BypassProbe {
  /** After "an unsigned attempt". */
  readonly what: string;
  readonly change: (request: RawRequest, path: string) => Partial<RawRequest>;
  /** True if it reaches another address: only a handler that runs is a finding there. */
  readonly isElsewhere?: boolean;
  /** A public page that describes the mistake, or the feature that it abuses. */
  readonly source: string;
}

const DEBUG = "https://cwe.mitre.org/data/definitions/489.html";
const SPOOFED = "https://cwe.mitre.org/data/definitions/290.html";
const TRUSTED_INPUT = "https://cwe.mitre.org/data/definitions/807.html";
const DIRECT = "https://cwe.mitre.org/data/definitions/425.html";
const FORWARDED = "https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/X-Forwarded-For";
const OVERRIDE = "https://expressjs.com/en/resources/middleware/method-override.html";
const REWRITE = "https://portswigger.net/web-security/access-control";
const MIDDLEWARE = "https://nvd.nist.gov/vuln/detail/CVE-2025-29927";

type HeaderProbe = readonly [name: string, value: string, source: string];

const each = (names: string, value: string, source: string): readonly HeaderProbe[] =>
  names.split(" ").map((name) => [name, value, source]);

const HEADERS: readonly HeaderProbe[] = [
  ...["true", "1"].flatMap((value) =>
    each(
      "X-Test X-Test-Mode X-Debug X-Webhook-Test Webhook-Test X-Dry-Run X-Dev X-Sandbox",
      value,
      DEBUG,
    ),
  ),
  ...each(
    "X-Skip-Verification X-Skip-Signature X-Skip-Auth X-No-Verify X-Verified X-Signature-Verified " +
      "X-Internal X-Internal-Request X-Admin X-Bypass X-Trusted X-Webhook-Verified X-Replay",
    "true",
    TRUSTED_INPUT,
  ),
  ["X-Environment", "test", DEBUG],
  ["X-Env", "development", DEBUG],
  ["X-Mode", "test", DEBUG],
  ...each(
    "X-Forwarded-For X-Real-IP X-Client-IP True-Client-IP CF-Connecting-IP X-Originating-IP X-Remote-IP " +
      "X-Remote-Addr X-Forwarded-Host Client-IP X-Cluster-Client-IP",
    "127.0.0.1",
    FORWARDED,
  ),
  ["X-Forwarded-For", "10.0.0.1", FORWARDED],
  // Addresses that vendors publish: a header is no proof of one.
  ["X-Forwarded-For", "3.18.12.63", "https://docs.stripe.com/ips"],
  ["X-Forwarded-For", "192.30.252.1", "https://api.github.com/meta"],
  ["Forwarded", "for=127.0.0.1;host=localhost", FORWARDED],
  ["X-Forwarded-Proto", "https", FORWARDED],
  ["Host", "localhost", SPOOFED],
  ["Origin", "http://localhost", SPOOFED],
  ["Referer", "http://localhost/", SPOOFED],
  ...(
    "Stripe/1.0 (+https://stripe.com/docs/webhooks)|Svix-Webhooks/1.0|GitHub-Hookshot/1|Countersign/1.0|" +
    "PostmanRuntime/7.40.0|kube-probe/1.30|ELB-HealthChecker/2.0|GoogleHC/1.0|curl/8.5.0|internal|test|" +
    "countersign-test"
  )
    .split("|")
    .map((value) => ["User-Agent", value, SPOOFED] as const),
  ["Authorization", "Bearer test", TRUSTED_INPUT],
  ["Authorization", "Basic YWRtaW46YWRtaW4=", TRUSTED_INPUT],
  ["X-Api-Key", "test", TRUSTED_INPUT],
  ["Cookie", "test=1; debug=true; admin=true", TRUSTED_INPUT],
  ["X-Requested-With", "XMLHttpRequest", TRUSTED_INPUT],
  ["X-Amzn-Trace-Id", "Root=1-0-0", SPOOFED],
  ...each("X-Health-Check X-Retry", "1", TRUSTED_INPUT),
  ["X-GitHub-Event", "ping", TRUSTED_INPUT],
  ["X-Event-Type", "test", TRUSTED_INPUT],
  ["X-Hook-Secret", "cstest", TRUSTED_INPUT],
  ["Webhook-Attempt", "2", TRUSTED_INPUT],
  ["X-HTTP-Method-Override", "PUT", OVERRIDE],
  ...each("X-Original-URL X-Rewrite-URL", "/health", REWRITE),
  ["X-Middleware-Subrequest", "middleware:middleware:middleware:middleware:middleware", MIDDLEWARE],
  ...(
    "text/plain text/json text/xml application/x-www-form-urlencoded application/xml application/octet-stream " +
    "application/vnd.api+json application/JSON application/json;charset=utf-16 multipart/form-data;boundary=x"
  )
    .split(" ")
    .map((value) => ["Content-Type", value, TRUSTED_INPUT] as const),
  ["Webhook-Version", "0", TRUSTED_INPUT],
  ["Webhook-Signature-Algorithm", "none", "https://cwe.mitre.org/data/definitions/347.html"],
  ["Webhook-Signature-Version", "v0", "https://cwe.mitre.org/data/definitions/757.html"],
];

const QUERIES = (
  "test=1 test=true debug=1 debug=true mode=test env=test dryRun=true dry_run=1 skip_verification=true " +
  "skipSignature=1 verify=false verify=0 nosig=1 unsigned=1 admin=true internal=1 sandbox=true replay=true " +
  "force=true token=test validationToken=test challenge=test hub.challenge=test"
).split(" ");

/**
 * Types of events that providers send when an address is registered or tried.
 * Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#ping
 */
export const trialTypes: readonly string[] = (
  "ping test webhook.test endpoint.test event.test health verification url_verification " +
  "subscription_confirmation SubscriptionConfirmation cstest.any"
).split(" ");

const ENDS = "/test /debug /replay /internal /unsigned /health / // /. %2f ;a=b .json".split(" ");

/** Members of a body, each as JSON. */
const MEMBERS = (
  '"test":true "testMode":true "test_mode":true "livemode":false "sandbox":true "debug":true "env":"test" ' +
  '"mode":"test" "environment":"development" "skipVerification":true "verified":true "internal":true ' +
  '"replay":true'
).split(" ");

/** Switches with the provider's name in front, such as `X-Shopify-Test`. */
export function ownSwitches(headers: readonly string[]): readonly BypassProbe[] {
  const prefixes = headers.flatMap((name) => /^(?:x-)?[a-z0-9]+(?=-)/i.exec(name)?.[0] ?? []);
  return [...new Set(prefixes.map((prefix) => prefix.toLowerCase()))].flatMap((prefix) =>
    OWN.map(([name, value]): BypassProbe => ({
      what: `with ${prefix}-${name}: ${value}`,
      source: DEBUG,
      change: (request) => ({ headers: [...request.headers, [`${prefix}-${name}`, value]] }),
    })),
  );
}

const OWN = [
  ["test", "true"],
  ["test-mode", "true"],
  ["debug", "true"],
  ["mode", "test"],
  ["environment", "test"],
  ["skip-verification", "true"],
  ["verified", "true"],
  ["replay", "true"],
] as const;

/** A body that has a member besides its own, in JSON as its last one, or a field in a form. */
function withMember(body: Uint8Array, member: string): Buffer {
  const text = Buffer.from(body).toString();
  const [, name = "", value = ""] = /^"(\w+)":"?(\w+)/.exec(member) ?? [];
  const whole = parseJson(body);
  if (Array.isArray(whole)) return Buffer.from(text.replace("{", () => `{${member},`));
  if (!isRecord(whole)) return Buffer.from(`${text}&${name}=${value}`);
  return Buffer.from(JSON.stringify({ ...whole, ...(JSON.parse(`{${member}}`) as object) }));
}

/** Each row names a public page; a new way around the check is one more row. */
export const bypassProbes: readonly BypassProbe[] = [
  ...HEADERS.map(([name, value, source]): BypassProbe => ({
    what: `with ${name}: ${value}`,
    source,
    change: ({ headers }) => ({
      headers: [
        ...headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()),
        [name, value],
      ],
    }),
  })),
  ...QUERIES.map((query): BypassProbe => ({
    what: `with ?${query}`,
    source: DEBUG,
    change: (_request, path) => ({ path: `${path}${path.includes("?") ? "&" : "?"}${query}` }),
  })),
  ...MEMBERS.map((member): BypassProbe => ({
    what: `whose body has ${member.split('"')[1] ?? ""}`,
    source: DEBUG,
    change: ({ body }) => ({ body: withMember(body, member) }),
  })),
  ...["PUT", "PATCH", "DELETE", "GET", "post", "WEBHOOK"].map((method): BypassProbe => ({
    what: `by ${method}`,
    source: "https://cwe.mitre.org/data/definitions/650.html",
    isElsewhere: true,
    change: () => ({ method }),
  })),
  ...ENDS.map((end): BypassProbe => ({
    what: `at the path with ${end} after it`,
    source: DIRECT,
    isElsewhere: true,
    change: (_request, path) => ({ path: `${path.split("?")[0]?.replace(/\/$/, "") ?? ""}${end}` }),
  })),
  {
    what: "at the path in capitals",
    source: DIRECT,
    isElsewhere: true,
    change: (_request, path) => ({ path: path.toUpperCase() }),
  },
];
