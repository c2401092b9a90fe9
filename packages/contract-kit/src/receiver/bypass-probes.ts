import type { Header, RawRequest } from "../harness/message.ts";
import { isRecord, parseJson } from "../values.ts";
import { appended } from "./forged-bodies.ts";
import { withQuery, words } from "./forged-operation.ts";

type Change = (request: RawRequest & { readonly path: string }) => Partial<RawRequest>;

/** A change of a request that has disabled signature checks somewhere, and its name after "an unsigned attempt". */
export type BypassProbe = readonly [what: string, change: Change];

/** Lines of `Name Name: value | value`: each name with each value. */
const headersIn = (lines: string): readonly Header[] =>
  lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [names = "", values = ""] = line.split(/: (.*)/);
      return words(names).flatMap((name) =>
        values.split(" | ").map((value): Header => [name, value]),
      );
    });

/**
 * Headers by the mistake that trusts them: debugging switches (CWE-489), inputs in a decision about trust (CWE-807),
 * addresses and senders that anyone can claim (CWE-290), also those that Stripe, GitHub, Paddle, Svix and Square
 * publish, paths that a proxy rewrites (portswigger.net/web-security/access-control) and a subrequest (CVE-2025-29927).
 */
const HEADERS = headersIn(`
  X-Test X-Test-Mode X-Debug X-Webhook-Test Webhook-Test X-Dry-Run X-Dev X-Sandbox: true | 1
  X-Mock X-Simulated: true
  X-Skip-Verification X-Skip-Signature X-Skip-Auth X-No-Verify X-Verified X-Signature-Verified X-Admin X-Bypass: true
  X-Internal X-Internal-Request X-Trusted X-Webhook-Verified X-Replay X-Redelivery X-Webhook-Replay X-From-Queue: true
  X-Environment X-Mode X-Stage: test
  X-Env X-Environment: development
  X-Forwarded-For X-Real-IP: 127.0.0.1 | ::1 | 10.0.0.1
  X-Forwarded-For X-Real-IP CF-Connecting-IP: 3.18.12.63 | 192.30.252.1 | 34.232.58.13 | 44.228.126.217 | 54.245.1.154
  X-Client-IP True-Client-IP X-Originating-IP X-Remote-IP X-Remote-Addr X-Forwarded-Host: 127.0.0.1
  Client-IP X-Cluster-Client-IP Fastly-Client-IP X-Azure-ClientIP: 127.0.0.1
  CF-Connecting-IP: 127.0.0.1
  X-Forwarded-For: 192.168.0.1
  Forwarded: for=127.0.0.1;host=localhost
  X-Forwarded-Proto: https
  Host: localhost | 127.0.0.1
  X-Forwarded-Host: localhost
  Origin: http://localhost
  Referer: http://localhost/
  User-Agent: Stripe/1.0 (+https://stripe.com/docs/webhooks) | Svix-Webhooks/1.0 | GitHub-Hookshot/1 | TwilioProxy/1.1
  User-Agent: Slackbot 1.0 (+https://api.slack.com/robots) | Shopify-Captain-Hook | Square Connect v2 | Paddle
  User-Agent: OpenAI/Webhooks | Countersign/1.0 | PostmanRuntime/7.40.0 | kube-probe/1.30 | ELB-HealthChecker/2.0
  User-Agent: GoogleHC/1.0 | curl/8.5.0 | internal | test | countersign-test
  Authorization: Bearer test | Basic YWRtaW46YWRtaW4=
  X-Api-Key X-Auth-Token: test
  Cookie: test=1; debug=true; admin=true
  X-Requested-With: XMLHttpRequest
  X-Amzn-Trace-Id: Root=1-0-0
  X-Health-Check X-Retry X-Retry-Count X-Attempt X-Delivery-Attempt Retry-Count: 1
  Webhook-Attempt Svix-Attempt: 2
  X-GitHub-Event X-Event-Key: ping
  X-Event-Type X-Webhook-Event: test
  X-Hook-Secret: cstest
  X-HTTP-Method-Override X-Method-Override: PUT
  X-Original-URL X-Rewrite-URL: /health
  X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware
  Content-Type: text/plain | text/json | text/xml | application/x-www-form-urlencoded | application/xml
  Content-Type: application/octet-stream | application/vnd.api+json | application/cloudevents+json | application/JSON
  Content-Type: application/json;charset=utf-16 | multipart/form-data;boundary=x
  Webhook-Version: 0
  Webhook-Signature-Algorithm: none
  Webhook-Signature-Version: v0
`);

/** Parameters that switch a check off, or that handshakes have (CWE-489). */
const QUERIES = words(`
  test=1 test=true debug=1 debug=true mode=test env=test dryRun=true dry_run=1 skip_verification=true
  skipSignature=1 verify=false verify=0 nosig=1 unsigned=1 admin=true internal=1 sandbox=true replay=true
  force=true token=test validationToken=test challenge=test hub.challenge=test hub.mode=subscribe`);

/** Members of a body, each as JSON. */
const MEMBERS = words(`
  "test":true "testMode":true "test_mode":true "isTest":true "livemode":false "live":false "sandbox":true "debug":true
  "env":"test" "mode":"test" "environment":"development" "environment":"sandbox" "skipVerification":true
  "verified":true "internal":true "replay":true "retry":true "zen":"cstest" "token":"" "challenge":"cstest"`);

/** Other ends of the path, which another route may serve without the check (CWE-425). */
const ENDS = words(
  "/test /debug /replay /retry /internal /unsigned /health / // /. %2f ;a=b .json",
);
/** Methods for which a route may lack the check (CWE-650). */
const METHODS = words("PUT PATCH DELETE GET OPTIONS post WEBHOOK");

/** Switches after the provider's own prefix, such as `X-Shopify-Test`. */
const OWN_SWITCHES = headersIn(`
  test debug: true | 1
  test-mode skip-verification verified replay internal sandbox: true
  mode environment env: test
  environment: development
`);

/**
 * Types of events that providers send when an address is registered or tried.
 * Source: https://docs.github.com/en/webhooks/webhook-events-and-payloads#ping
 */
export const trialTypes: readonly string[] = words(`
  ping test webhook.test endpoint.test event.test health verification url_verification
  subscription_confirmation SubscriptionConfirmation cstest.any`);

/** Envelopes in which queues, gateways and frameworks hand on what they have accepted. */
const ENVELOPES: Readonly<Record<string, (text: string) => unknown>> = {
  "in a list": (text) => [parseJson(text)],
  "as a record of SQS": (text) => ({ Records: [{ messageId: "cstest", body: text }] }),
  "as a notification of SNS": (text) => ({ Type: "Notification", Message: text }),
  "as a message of Pub/Sub": (text) => ({
    message: { data: Buffer.from(text).toString("base64") },
  }),
  "as an event of EventBridge": (text) => ({ source: "cstest", detail: parseJson(text) }),
  "as a request of a gateway": (text) => ({ body: text, isBase64Encoded: false }),
  "as a list of events": (text) => ({ events: [parseJson(text)] }),
  "as the member event": (text) => ({ event: parseJson(text) }),
  "as the member payload": (text) => ({ payload: text }),
};

const inField = (text: string): string => `payload=${encodeURIComponent(text)}`;
const textOf = ({ body }: RawRequest): string => Buffer.from(body).toString();

/** The members or fields of a body as a query. */
function queryOf(text: string): string {
  const whole = parseJson(text);
  if (!isRecord(whole)) return text;
  const fields = Object.entries(whole).map(([name, value]): [string, string] => {
    return [name, typeof value === "string" ? value : JSON.stringify(value)];
  });
  return new URLSearchParams(fields).toString();
}

const withHeader = ({ headers }: RawRequest, [name, value]: Header): Partial<RawRequest> => ({
  headers: [...headers.filter(([one]) => one.toLowerCase() !== name.toLowerCase()), [name, value]],
});

/** A body that has a member besides its own, in JSON as the last one, or a field in a form. */
function withMember(text: string, member: string): string {
  const [, name = "", value = ""] = /^"(\w+)":"?(\w*)/.exec(member) ?? [];
  return parseJson(text) === undefined ? `${text}&${name}=${value}` : appended(text, member);
}

/**
 * Returns the probes at the receiver's own address; a new way around the check is one more row.
 *
 * @param names The provider's headers: switches are tried after the prefixes that they have.
 * @param attempt The header in which the provider numbers its attempts, if it does.
 */
export function probesHere(names: readonly string[], attempt?: string): readonly BypassProbe[] {
  const found = names.flatMap((name) => /^(?:x-)?[a-z0-9]+(?=-)/i.exec(name)?.[0] ?? []);
  const own = [...new Set(found.map((prefix) => prefix.toLowerCase()))].flatMap((prefix) =>
    OWN_SWITCHES.map(([name, value]): Header => [`${prefix}-${name}`, value]),
  );
  const headers = [...HEADERS, ...own, ...(attempt === undefined ? [] : [[attempt, "2"] as const])];
  const asForm: Change = (request) => ({
    ...withHeader(request, ["Content-Type", "application/x-www-form-urlencoded"]),
    body: Buffer.from(inField(textOf(request))),
  });
  return [
    ...headers.map((header): BypassProbe => {
      return [`with ${header.join(": ")}`, (request) => withHeader(request, header)];
    }),
    ...QUERIES.map((query): BypassProbe => {
      return [`with ?${query}`, (request) => withQuery(request, query)];
    }),
    ...MEMBERS.map((member): BypassProbe => {
      const change = (text: string): Buffer => Buffer.from(withMember(text, member));
      return [`whose body has ${member}`, (request) => ({ body: change(textOf(request)) })];
    }),
    ...Object.entries(ENVELOPES).map(([what, wrap]): BypassProbe => {
      const change = (text: string): Buffer => Buffer.from(JSON.stringify(wrap(text)));
      return [what, (request) => ({ body: change(textOf(request)) })];
    }),
    ["as the field payload of a form", asForm],
  ];
}

const inQuery = (query: (text: string) => string): BypassProbe => [
  "by GET with the event in its query",
  (request) => ({
    ...withQuery(request, query(textOf(request))),
    method: "GET",
    body: Buffer.alloc(0),
  }),
];

/** Probes of other methods and addresses, which may answer anything: only a handler that runs is a finding there. */
export const probesElsewhere: readonly BypassProbe[] = [
  ...METHODS.map((method): BypassProbe => [`by ${method}`, () => ({ method })]),
  inQuery(queryOf),
  inQuery(inField),
  ...ENDS.map((end): BypassProbe => {
    const at = (path: string): string => (path.split("?")[0]?.replace(/\/$/, "") ?? "") + end;
    return [`at the path with ${end} after it`, ({ path }) => ({ path: at(path) })];
  }),
  ["at the path in capitals", ({ path }) => ({ path: path.toUpperCase() })],
];
