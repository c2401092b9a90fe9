import type { Request, Response } from "express";
import type { Context } from "../use-cases/context.ts";
import { writeAnswer } from "./answer.ts";
import { refuse } from "./refuse.ts";

/** `GET /healthz`: the process answers. */
export function serveHealth(_request: Request, response: Response): void {
  writeAnswer(response, { status: 200, body: { status: "ok" } });
}

/** `GET /readyz`: the database takes transactions. 503 where it does not. */
export function serveReadiness({ driver }: Pick<Context, "driver">) {
  return async (_request: Request, response: Response): Promise<void> => {
    try {
      await driver.transaction((tx) => tx.query("SELECT 1 AS one"));
    } catch {
      throw refuse("SERVICE_UNAVAILABLE");
    }
    writeAnswer(response, { status: 200, body: { status: "ready" } });
  };
}
