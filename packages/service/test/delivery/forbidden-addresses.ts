import type net from "node:net";
import fc from "fast-check";
import { expect, onTestFinished } from "vitest";
import type { Answer } from "../../src/delivery/types.ts";
import { isPublicAddress } from "../../src/delivery/egress/addresses.ts";
import { undiciTransport } from "../../src/delivery/egress/transport.ts";
import { resolvingLookup } from "../../src/delivery/egress/guarded-connector.ts";
import { listenHttp, listenRaw, requestTo } from "./listening.ts";
import { startNameServer } from "./name-server.ts";

export const REFUSED: Answer = { kind: "unanswered", code: "CS_ATTEMPT_ADDRESS_REFUSED" };

export async function post(
  url: string,
  options: { lookup?: net.LookupFunction; allowLoopback?: boolean; egressProxy?: string } = {},
): Promise<Answer> {
  const transport = undiciTransport({ deadlineMs: 10_000, ...options });
  try {
    return await transport.post(requestTo(new URL(url)));
  } finally {
    await transport.close();
  }
}

const targets = fc.oneof(
  fc.constantFrom([127, 0, 0, 1], [169, 254, 169, 254], [0, 0, 0, 0], [168, 63, 129, 16]),
  fc.tuple(fc.constant(127), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(10), fc.nat(255), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(192), fc.constant(168), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), fc.nat(255), fc.nat(255)),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), fc.nat(255), fc.nat(255)),
);

type Bytes = readonly number[];
const byte = (bytes: Bytes, at: number): number => bytes[at] ?? 0;
const dword = (bytes: Bytes): number => bytes.reduce((sum, one) => sum * 256 + one, 0);
const hex = (number: number, width = 0): string => number.toString(16).padStart(width, "0");
const groups = (bytes: Bytes): string =>
  `${hex(byte(bytes, 0) * 256 + byte(bytes, 1))}:${hex(byte(bytes, 2) * 256 + byte(bytes, 3))}`;
/** With the ten digits of another alphabet, which IDNA maps to ASCII. */
const inDigits = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
/** Full width, mathematical bold, monospaced and double-struck digits. */
const zeros: readonly number[] = [0xff10, 0x1d7ce, 0x1d7f6, 0x1d7d8];
/** Dots that IDNA maps to ".". */
const dots: readonly string[] = [".", "\u3002", "\uff0e", "\uff61"];
const part = (number: number, how: number): string =>
  [String(number), `0x${hex(number)}`, `0${number.toString(8)}`, `0x000${hex(number)}`][how % 4] ??
  "";
const percent = (text: string): string =>
  text.replaceAll(/[\d.]/g, (one) => `%${hex(one.codePointAt(0) ?? 0, 2)}`);

/** The ways in which a URL may spell an address of version 4, and those of version 6 that carry one. */
const spellings: readonly ((bytes: Bytes, how: readonly number[]) => string)[] = [
  (bytes) => bytes.join("."),
  (bytes) => String(dword(bytes)),
  (bytes) => `0x${hex(dword(bytes))}`,
  (bytes) => `0${dword(bytes).toString(8)}`,
  (bytes, how) => bytes.map((one, at) => part(one, how[at] ?? 0)).join("."),
  (bytes, how) =>
    `${part(byte(bytes, 0), how[0] ?? 0)}.${part(dword(bytes.slice(1)), how[1] ?? 0)}`,
  (bytes, how) =>
    [...bytes.slice(0, 2), dword(bytes.slice(2))]
      .map((one, at) => part(one, how[at] ?? 0))
      .join("."),
  (bytes, how) => inDigits(bytes.join("."), zeros[how[0] ?? 0] ?? 0),
  (bytes, how) => encodeURI(inDigits(bytes.join("."), zeros[how[0] ?? 0] ?? 0)),
  (bytes, how) =>
    bytes.map((one, at) => (at === 0 ? "" : (dots[how[at] ?? 0] ?? "")) + String(one)).join(""),
  (bytes) => percent(bytes.join(".")),
  (bytes) => `[::ffff:${bytes.join(".")}]`,
  (bytes) => `[::ffff:${groups(bytes)}]`,
  (bytes) => `[0:0:0:0:0:ffff:${groups(bytes)}]`,
  (bytes) => `[::${groups(bytes)}]`,
  (bytes) => `[64:ff9b::${groups(bytes)}]`,
  (bytes) => `[64:ff9b:1::${groups(bytes)}]`,
  (bytes) => `[2002:${groups(bytes)}::1]`,
  (bytes) => `[2001:0:${groups(bytes)}::1]`,
  () => "[::1]",
  () => "[::]",
  () => "[fe80::1]",
  () => "[fe80::1%25eth0]",
  (bytes) => `[::ffff:${bytes.join(".")}%25lo]`,
  () => "[fd00::1]",
  () => "[fec0::1]",
  () => "[ff02::1]",
];

/** Hosts of URLs that name a forbidden address. */
const forbiddenHosts = fc
  .tuple(
    targets,
    fc.constantFrom(...spellings),
    fc.array(fc.nat(3), { minLength: 4, maxLength: 4 }),
    fc.boolean(),
    fc.constantFrom("", ".", "%2e"),
  )
  .map(([bytes, spell, how, isUpper, end]) => {
    const text = spell(bytes, how);
    const host = text.startsWith("[") ? text : text + end;
    return isUpper ? host.toUpperCase() : host;
  });

/** Posts so often to forbidden addresses in any spelling. @returns Attempts that reached this machine. */
export async function forbiddenSpellings(attempts: number, seed?: number): Promise<number> {
  const { port, connections } = await listenRaw((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n"));
  const transport = undiciTransport({ deadlineMs: 10_000 });
  onTestFinished(() => transport.close());
  let spelled = 0;
  await fc.assert(
    fc.asyncProperty(forbiddenHosts, async (host) => {
      const text = `http://${host}:${port}/`;
      // A zone: no URL of a subscription can name one, but a resolver might.
      if (!URL.canParse(text)) {
        expect(isPublicAddress(host)).toBe(false);
        return;
      }
      spelled += 1;
      expect(await transport.post(requestTo(new URL(text)))).toEqual(REFUSED);
    }),
    { numRuns: attempts, ...(seed !== undefined && { seed }) },
  );
  expect(spelled).toBeGreaterThan(attempts * 0.8);
  return connections();
}

/** Posts so often to a name whose address changes with each query. @returns Attempts that were answered or arrived. */
export async function rebindings(
  attempts: number,
): Promise<{ readonly answered: number; readonly reached: number }> {
  const { port, connections } = await listenHttp((_, response) => response.end("reached"));
  const names = await startNameServer((_, count) =>
    // A public one without a server; the same with a forbidden one; only forbidden ones.
    count % 50 === 0 ? ["1.2.3.4"] : count % 2 === 0 ? ["1.2.3.4", "127.0.0.1"] : ["127.0.0.1"],
  );
  const lookup = resolvingLookup({ servers: [names.address] });
  // Long enough for a busy machine to ask the name server: an attempt at 1.2.3.4 waits until then.
  const transport = undiciTransport({ deadlineMs: 2000, lookup });
  onTestFinished(() => transport.close());
  const request = requestTo(new URL(`http://rebinding.example:${port}/`));
  const answers = await Promise.all(
    Array.from({ length: attempts }, () => transport.post(request)),
  );
  expect(names.asked.length).toBeGreaterThan(attempts / 4);
  const answered = answers.filter(({ kind }) => kind === "answered").length;
  return { answered, reached: connections() };
}
