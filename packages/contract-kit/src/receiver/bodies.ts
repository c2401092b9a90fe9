import { parsePlace } from "@countersign/signatures/places";
import type { ReceiverCheck } from "../check.ts";
import type { ReceiverTarget } from "../harness/receiver-target.ts";
import { expectRefusedThenGenuine, receiverCheck } from "./receiver-check.ts";

const JSON_ONLY = "R-BODY-JSON";

type Changes = Readonly<Record<string, (body: string) => string>>;

const NOT_JSON: Changes = {
  "an empty body": () => "",
  "half a body": (body) => body.slice(0, body.length >> 1),
  "a body and more after it": (body) => `${body}x`,
  "two bodies": (body) => body + body,
  "a body in apostrophes": (body) => body.replaceAll('"', "'"),
  "a body with a comma too many": (body) => body.replace(/[}\]]$/, ",$&"),
  "a form": () => "id=evt_1&type=cstest.form",
  "a document of XML": () => "<event><id>evt_1</id></event>",
};

/** JSON that is no event where an event is one object. */
const OTHER_VALUES: Changes = {
  null: () => "null",
  "a number": () => "1",
  "a text": () => '"cstest"',
  "a list": (body) => `[${body}]`,
};

export const bodies: ReceiverCheck = receiverCheck({
  id: "receiver/bodies",
  title: "a body that is not a JSON object is refused",
  requirements: [JSON_ONLY],
  inapplicable: ({ events, signing, provider: { title } }) => {
    if (events.isForm) return `${title} sends forms`;
    return signing.covers.body ? undefined : `${title} does not sign the bytes of the body`;
  },
  run: async (kit) => {
    const changes = { ...NOT_JSON, ...(hasTypeInBody(kit.target) && OTHER_VALUES) };
    const signed = Object.entries(changes).map(([what, body]) => kit.attempt({ what, body }));
    await expectRefusedThenGenuine(kit, JSON_ONLY, signed);
  },
});

/** True if the body is one object that names its type: an event has no other form. */
function hasTypeInBody({ provider: { event, batch } }: ReceiverTarget): boolean {
  const [place] = [event.type].flat();
  if (batch !== undefined || typeof place !== "string") return false;
  const { kind, members } = parsePlace(place);
  return (kind === "body" || kind === "item") && members.length > 0;
}
