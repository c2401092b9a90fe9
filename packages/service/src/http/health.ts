import type { Request, Response } from "express";
import { writeAnswer } from "./answer.ts";
import type { HttpContext } from "./http-context.ts";
import { refuse } from "./refuse.ts";

/** `GET /healthz`: the process answers. */
export function serveHealth(_request: Request, response: Response): void {
  writeAnswer(response, { status: 200, body: { status: "ok" } });
}

/**
 * `GET /readyz`: the database takes transactions. 503 where it does not, and where the service is about
 * to close, so that no more calls are sent here.
 */
export function serveReadiness({ driver, isDraining }: Pick<HttpContext, "driver" | "isDraining">) {
  return async (_request: Request, response: Response): Promise<void> => {
    if (isDraining()) throw refuse("SERVICE_UNAVAILABLE");
    try {
      await driver.transaction((tx) => tx.query("SELECT 1 AS one"));
    } catch {
      throw refuse("SERVICE_UNAVAILABLE");
    }
    writeAnswer(response, { status: 200, body: { status: "ready" } });
  };
}
