import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import type { Mount } from "./mount.ts";

type Shape = (request: IncomingMessage, body: Buffer) => LambdaEvent;

/** The events that API Gateway, function URLs and load balancers make of a request, by their manuals. */
export const shapes = {
  "API Gateway 1.0": (request, body) => ({
    httpMethod: request.method ?? "",
    path: "/webhooks",
    headers: lastOf(request),
    multiValueHeaders: allOf(request),
    body: body.length === 0 ? null : text(body),
    isBase64Encoded: false,
  }),
  "API Gateway 2.0": (request, body) => ({
    rawPath: "/webhooks",
    requestContext: { http: { method: request.method ?? "" } },
    headers: joined(request),
    ...(body.length === 0 ? {} : { body: text(body) }),
    isBase64Encoded: false,
  }),
  "a function URL": (request, body) => ({
    rawPath: "/webhooks",
    requestContext: { http: { method: request.method ?? "" } },
    headers: joined(request),
    body: body.toString("base64"),
    isBase64Encoded: true,
  }),
  "a load balancer": (request, body) => ({
    httpMethod: request.method ?? "",
    path: "/webhooks",
    headers: lastOf(request),
    body: body.toString("base64"),
    isBase64Encoded: true,
  }),
  "a load balancer with multi-value headers": (request, body) => ({
    httpMethod: request.method ?? "",
    path: "/webhooks",
    multiValueHeaders: allOf(request),
    body: body.toString("base64"),
    isBase64Encoded: true,
  }),
} satisfies Record<string, Shape>;

const decodes: readonly string[] = ["API Gateway 1.0", "API Gateway 2.0"];

export const gateways: readonly Mount[] = Object.entries<Shape>(shapes).map(([name, shape]) => ({
  name: `toLambda behind ${name}`,
  streams: false,
  endsConnections: false,
  // Its single values keep the last one alone: no code behind it can tell.
  seesDuplicates: name !== "a load balancer",
  keepsBytes: !decodes.includes(name),
  serve(receiver) {
    const handler = toLambda(receiver);
    return createServer((request, response) => {
      const answered = buffer(request).then(async (body) => {
        // Through JSON, as every event comes.
        const event = JSON.parse(JSON.stringify(shape(request, body))) as LambdaEvent;
        const answer = await handler(event);
        response.writeHead(answer.statusCode, answer.multiValueHeaders ?? answer.headers);
        response.end(answer.body);
      });
      answered.catch(() => response.destroy());
    });
  },
}));

const text = (body: Buffer): string => new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);

function pairs({ rawHeaders }: IncomingMessage): [string, string][] {
  return rawHeaders.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""]] : [],
  );
}

function allOf(request: IncomingMessage): Record<string, string[]> {
  // `fromEntries` defines members, so that "__proto__" is one.
  return Object.fromEntries(
    [...Map.groupBy(pairs(request), ([name]) => name)].map(([name, values]) => [
      name,
      values.map(([, value]) => value),
    ]),
  );
}

const valuesOf =
  (pick: (values: string[]) => string) =>
  (request: IncomingMessage): Record<string, string> =>
    Object.fromEntries(Object.entries(allOf(request)).map(([name, list]) => [name, pick(list)]));

const lastOf = valuesOf((values) => values.at(-1) ?? "");
const joined = valuesOf((values) => values.join(","));
