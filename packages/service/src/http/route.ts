import type { JsonReading } from "@countersign/rules";
import type { Request } from "express";
import type { Merchant } from "../store/tables/merchants.ts";
import type { Answer } from "./answer.ts";
import type { BodyKind } from "./answer-check.ts";
import type { HttpContext } from "./http-context.ts";
import type { RateKind } from "./rates.ts";

/** A body that has been read as JSON, with the source text of its numbers. */
export type JsonBody = Extract<JsonReading, { ok: true }>;

/** A call that has passed every check that is the same for all routes. */
export interface Call {
  readonly context: HttpContext;
  readonly merchant: Merchant;
  readonly request: Request;
  readonly requestId: string;
}

/** The body is there exactly where the method has one. */
export interface BodyCall extends Call {
  readonly body: JsonBody;
}

interface RouteBase {
  /** Which of the profile's scopes the token needs; `undefined` takes any token. */
  readonly scope: "payments" | "core" | undefined;
  /** Default `others`. */
  readonly rate?: RateKind;
  /** The schema of what is answered, where the call succeeds. Default: none judges it. */
  readonly writes?: BodyKind;
}

export interface GetRoute extends RouteBase {
  readonly method: "GET";
  readonly answer: (call: Call) => Promise<Answer>;
}

export interface BodyRoute extends RouteBase {
  readonly method: "POST" | "PUT";
  readonly answer: (call: BodyCall) => Promise<Answer>;
}

/** One method of one path: what it needs, and what it answers or refuses (by throwing `Refused`). */
export type Route = GetRoute | BodyRoute;
