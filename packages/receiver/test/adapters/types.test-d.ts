import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { toExpress } from "@countersign/receiver/express";
import { toFastify } from "@countersign/receiver/fastify";
import { toFetch } from "@countersign/receiver/fetch";
import { type LambdaAnswer, type LambdaEvent, toLambda } from "@countersign/receiver/lambda";
import { toNode } from "@countersign/receiver/node";
import express, { Router } from "express";
import fastify, { type RouteShorthandOptionsWithHandler } from "fastify";
import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import { describe, expectTypeOf, it } from "vitest";
import { recordingReceiver } from "../fixtures.ts";

const { receiver } = recordingReceiver();

// The shapes of AWS's manuals, as `@types/aws-lambda` writes them down.
interface ApiGateway1 {
  body: string | null;
  headers: { [name: string]: string | undefined };
  multiValueHeaders: { [name: string]: string[] | undefined };
  httpMethod: string;
  isBase64Encoded: boolean;
  path: string;
  pathParameters: { [name: string]: string | undefined } | null;
  requestContext: { accountId: string; stage: string; httpMethod: string };
  resource: string;
}
interface ApiGateway2 {
  version: string;
  routeKey: string;
  rawPath: string;
  rawQueryString: string;
  headers: { [name: string]: string | undefined };
  requestContext: { accountId: string; http: { method: string; path: string; sourceIp: string } };
  body?: string;
  isBase64Encoded: boolean;
}
interface LoadBalancer {
  requestContext: { elb: { targetGroupArn: string } };
  httpMethod: string;
  path: string;
  headers?: { [name: string]: string | undefined };
  multiValueHeaders?: { [name: string]: string[] | undefined };
  body: string | null;
  isBase64Encoded: boolean;
}
interface GatewayResult {
  statusCode: number;
  headers?: { [name: string]: boolean | number | string };
  multiValueHeaders?: { [name: string]: (boolean | number | string)[] };
  body: string;
  isBase64Encoded?: boolean;
}

describe("the structural types fit", () => {
  it("node:http", () => {
    expectTypeOf(toNode(receiver)).toExtend<
      (request: IncomingMessage, response: ServerResponse) => Promise<void>
    >();
    // oxlint-disable-next-line typescript/no-misused-promises -- As users mount it: the promise never rejects.
    expectTypeOf(createServer(toNode(receiver))).not.toBeAny();
  });

  it("Express, as an application's and a router's handler", () => {
    expectTypeOf(express().post("/webhooks", toExpress(receiver))).not.toBeAny();
    expectTypeOf(Router().use("/webhooks", toExpress(receiver))).not.toBeAny();
    expectTypeOf(toExpress(receiver)).toExtend<express.RequestHandler>();
  });

  it("Fastify, as a route's options", () => {
    expectTypeOf(toFastify(receiver)).toExtend<RouteShorthandOptionsWithHandler>();
    expectTypeOf(fastify().post("/webhooks", toFastify(receiver))).not.toBeAny();
    expectTypeOf(
      fastify().route({ method: "POST", url: "/webhooks", ...toFastify(receiver) }),
    ).not.toBeAny();
  });

  it("the Web's Request and Response, and Hono's", () => {
    expectTypeOf(toFetch(receiver)).toExtend<(request: Request) => Promise<Response>>();
    expectTypeOf(toFetch(receiver)).toExtend<
      (request: Request, context: { params: Promise<object> }) => Promise<Response>
    >();
    const handler = createMiddleware((context) => toFetch(receiver)(context.req.raw));
    expectTypeOf(new Hono().post("/webhooks", handler)).not.toBeAny();
  });

  it("Lambda's events and results", () => {
    expectTypeOf<ApiGateway1>().toExtend<LambdaEvent>();
    expectTypeOf<ApiGateway2>().toExtend<LambdaEvent>();
    expectTypeOf<LoadBalancer>().toExtend<LambdaEvent>();
    expectTypeOf<LambdaAnswer>().toExtend<GatewayResult>();
    expectTypeOf(toLambda(receiver)).toExtend<(event: ApiGateway2) => Promise<GatewayResult>>();
  });
});
