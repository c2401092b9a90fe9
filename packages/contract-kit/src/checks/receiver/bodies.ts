import type { ReceiverCheck } from "../../check.ts";
import type { Bench } from "../../harness/bench.ts";
import { type Forgery, mustRefuse, receiverCheck } from "../../harness/play.ts";

const JSON_ALONE = "R-BODY-JSON";
const STRICT = "R-BODY-STRICT";

const DEPTH = 10_000;

/** Genuine signatures over bodies that are no event, or that two parsers read differently. */
export const bodies: ReceiverCheck = receiverCheck({
  id: "receiver/bodies",
  title: "a body that is not a JSON object, or that parsers read differently, is refused",
  requirements: [JSON_ALONE, STRICT],
  play: async (bench) => {
    const signed = (what: string, change: (body: string) => string | Buffer): Forgery => {
      const event = bench.event();
      const body = Buffer.from(change(event.body.toString()));
      return { what, attempt: bench.attempt({ ...event, body }) };
    };
    await mustRefuse(bench, JSON_ALONE, [
      signed("an empty body", () => ""),
      signed("half a body", (body) => body.slice(0, body.length >> 1)),
      signed("a body and more after it", (body) => `${body}x`),
      signed("two bodies", (body) => body + body),
      signed("a body in apostrophes", (body) => body.replaceAll('"', "'")),
      signed("a body with a comma too many", (body) => body.replace(/\}$/, ",}")),
      signed("a form", () => "id=evt_1&type=cstest.form"),
      signed("a document of XML", () => "<event><id>evt_1</id></event>"),
      signed("null", () => "null"),
      signed("a number", () => "1"),
      signed("a text", () => '"cstest"'),
      signed("a list", (body) => `[${body}]`),
    ]);
    await mustRefuse(bench, STRICT, [...doubled(bench, signed), ...unreadable(bench, signed)]);
  },
});

type Sign = (what: string, change: (body: string) => string | Buffer) => Forgery;

/** One member twice: parsers take the first, the last, or both. */
function doubled({ target }: Bench, signed: Sign): readonly Forgery[] {
  const { envelope } = target.profile;
  const id = envelope.id.slice(1).split("/").at(-1) ?? "id";
  const type = envelope.type.slice(1).split("/").at(-1) ?? "type";
  const again = (name: string, spelt: string) => (body: string) =>
    body.replace(new RegExp(`"${name}":("[^"]*")`), `"${name}":$1,"${spelt}":"cstest"`);
  const escaped = `\\u${(type.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}${type.slice(1)}`;
  return [
    signed("the event's type twice", again(type, type)),
    signed("the event's type twice, once escaped", again(type, escaped)),
    ...(target.events.hasId ? [signed("the event's id twice", again(id, id))] : []),
    signed("a member of the data twice", (body) =>
      body.replace(/"(\w+)":("[^"]*"|[a-z0-9.]+)(\}+)$/, '"$1":$2,"$1":$2$3'),
    ),
  ];
}

function unreadable({ target }: Bench, signed: Sign): readonly Forgery[] {
  const { type } = target.profile.catalogue[0] ?? { type: "" };
  const inside = (bytes: readonly number[]) => (body: string) => {
    const at = body.indexOf(`"${type}"`);
    const [before, after] = [body.slice(0, at), body.slice(at)];
    // A member of its own, so that no schema has an opinion on its value.
    const member = Buffer.concat([
      Buffer.from('"cstest'),
      Buffer.from(bytes),
      Buffer.from('":"cstest",'),
    ]);
    const start = before.lastIndexOf('"', before.length - 3);
    return Buffer.concat([
      Buffer.from(before.slice(0, start)),
      member,
      Buffer.from(before.slice(start) + after),
    ]);
  };
  const deep = `${"[".repeat(DEPTH)}${"]".repeat(DEPTH)}`;
  return [
    signed("a byte order mark", (body) => `\uFEFF${body}`),
    signed("a byte that is no UTF-8", inside([0xff])),
    signed("a character in more bytes than it needs", inside([0xc0, 0xaf])),
    signed("half of a pair as UTF-8", inside([0xed, 0xa0, 0x80])),
    signed(`lists in lists, ${DEPTH} deep`, (body) => body.replace(/\}$/, `,"cstest":${deep}}`)),
  ];
}
