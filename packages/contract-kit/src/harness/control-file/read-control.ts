import {
  controlNames,
  controlShapes,
  type ControlCall,
  type ControlDocument,
  type ControlName,
} from "./control-document.ts";
import { isName, namesIn, textsIn } from "./template.ts";

export type ControlReading =
  | { readonly ok: true; readonly control: ControlDocument }
  /** Each fault begins with the JSON Pointer of its place. */
  | { readonly ok: false; readonly faults: readonly string[] };

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const MAX_CALLS = 20;

/**
 * What `schemas/control.schema.json` says, and what it cannot: that each place names what the control is
 * given or an earlier call took, and that the calls take what the control is to give.
 */
export function readControl(json: unknown): ControlReading {
  if (!isObject(json)) return { ok: false, faults: ["/ must be an object"] };
  const { $schema, url, headers, controls, ...others } = json;
  const faults = [
    ...unknownMembers(others, "", "a control document"),
    ...($schema === undefined || typeof $schema === "string" ? [] : ["/$schema must be text"]),
    ...(url === undefined || isUrl(url) ? [] : ["/url must be an http or https address"]),
    ...headerFaults(headers, "/headers"),
    ...placeFaults(headers, "/headers", []),
    ...controlsFaults(controls),
  ];
  // Judged member by member above.
  return faults.length === 0
    ? { ok: true, control: json as unknown as ControlDocument }
    : { ok: false, faults };
}

function controlsFaults(controls: unknown): readonly string[] {
  if (!isObject(controls)) return ["/controls must be an object"];
  if (Object.keys(controls).length === 0) return ["/controls must have one control or more"];
  return Object.entries(controls).flatMap(([name, calls]) => {
    const pointer = `/controls/${name}`;
    const known = controlNames.find((one) => one === name);
    if (known === undefined)
      return [`${pointer} is no control; they are ${controlNames.join(", ")}`];
    if (!Array.isArray(calls) || calls.length === 0 || calls.length > MAX_CALLS)
      return [`${pointer} must be a list of 1 to ${MAX_CALLS} calls`];
    return callsFaults(known, calls as readonly unknown[], pointer);
  });
}

function callsFaults(
  name: ControlName,
  calls: readonly unknown[],
  pointer: string,
): readonly string[] {
  const known = ["token", ...controlShapes[name].given];
  const faults = calls.flatMap((call, index) => {
    const at = `${pointer}/${index}`;
    const found = callFaults(call, at);
    if (found.length > 0) return found;
    // Judged just now.
    const { path, headers, body, take = {} } = call as ControlCall;
    const places = [
      ...placeFaults(path, `${at}/path`, known),
      ...placeFaults(headers, `${at}/headers`, known),
      ...placeFaults(body, `${at}/body`, known),
    ];
    known.push(...Object.keys(take));
    return places;
  });
  if (faults.length > 0) return faults;
  const taken = calls.flatMap((call) => Object.keys((call as ControlCall).take ?? {}));
  const { takes } = controlShapes[name];
  const isEnough =
    takes.length === 0 || takes.some((list) => list.every((one) => taken.includes(one)));
  const wanted = takes.map((list) => list.join(" and ")).join(", or ");
  return isEnough ? [] : [`${pointer} must take ${wanted}`];
}

function callFaults(call: unknown, at: string): readonly string[] {
  if (!isObject(call)) return [`${at} must be an object`];
  const { method, path, headers, body: _, take, ...others } = call;
  return [
    ...unknownMembers(others, at, "a call"),
    ...(typeof method === "string" && METHODS.includes(method)
      ? []
      : [`${at}/method must be one of ${METHODS.join(", ")}`]),
    ...(typeof path === "string" && path.startsWith("/") ? [] : [`${at}/path must begin with /`]),
    ...headerFaults(headers, `${at}/headers`),
    ...takeFaults(take, `${at}/take`),
  ];
}

function takeFaults(take: unknown, at: string): readonly string[] {
  if (take === undefined) return [];
  if (!isObject(take)) return [`${at} must be an object`];
  return Object.entries(take).flatMap(([name, pointer]) => {
    if (!/^[A-Za-z][A-Za-z0-9]*$/.test(name)) return [`${at}/${name} is no name`];
    const isPointer = typeof pointer === "string" && pointer.startsWith("/");
    return isPointer ? [] : [`${at}/${name} must be a JSON Pointer`];
  });
}

function headerFaults(headers: unknown, at: string): readonly string[] {
  if (headers === undefined) return [];
  if (!isObject(headers)) return [`${at} must be an object`];
  return Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [] : [`${at}/${name} must be text`],
  );
}

function placeFaults(value: unknown, at: string, known: readonly string[]): readonly string[] {
  return textsIn(value, at).flatMap(([pointer, text]) =>
    namesIn(text).flatMap((name) => {
      if (!isName(name)) return [`${pointer} has {{${name}}}, which is no name`];
      const isKnown = name.startsWith("env.") || name === "token" || known.includes(name);
      return isKnown
        ? []
        : [`${pointer} has {{${name}}}, which nothing gives; ${known.join(", ")} are`];
    }),
  );
}

function unknownMembers(
  others: Readonly<Record<string, unknown>>,
  at: string,
  what: string,
): readonly string[] {
  return Object.keys(others).map((name) => `${at}/${name} is not a member of ${what}`);
}

function isUrl(text: unknown): boolean {
  return typeof text === "string" && /^https?:\/\//.test(text) && URL.canParse(text);
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
