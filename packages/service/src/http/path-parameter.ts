import type { Request } from "express";

/** A parameter of the route's path, decoded; `undefined` where the path that matched has none. */
export function pathParameter(request: Request, name: string): string | undefined {
  const value = request.params[name];
  return typeof value === "string" ? value : undefined;
}
