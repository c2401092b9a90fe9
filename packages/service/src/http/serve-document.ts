import type { RequestHandler } from "express";
import { writeText } from "./answer.ts";

/** `GET /openapi.json` and `GET /asyncapi.json`: what the interface is, for whoever asks. */
export function serveDocument(document: object): RequestHandler {
  const text = JSON.stringify(document);
  return (_request, response) => {
    writeText(response, { status: 200, text, mediaType: "application/json" });
  };
}
