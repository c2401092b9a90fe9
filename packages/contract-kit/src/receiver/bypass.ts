import type { ReceiverCheck } from "../check.ts";
import type { Attempt } from "../harness/attempt-maker.ts";
import type { EventOrder } from "../harness/provider-events.ts";
import type { KitSender } from "../harness/kit-sender.ts";
import { type BypassProbe, probesElsewhere, probesHere, trialTypes } from "./bypass-probes.ts";
import { withoutEach } from "./forged-bodies.ts";
import { expectRefusedThenGenuine, receiverCheck } from "./receiver-check.ts";

const BYPASS = "R-VERIFY-BYPASS";

export const bypass: ReceiverCheck = receiverCheck({
  id: "receiver/bypass",
  title: "no header, query, path, method or member of the body switches verification off",
  requirements: [BYPASS],
  run: async (kit) => {
    const bare = kit.unsigned();
    const { isAcknowledged } = await kit.post(bare);
    if (isAcknowledged)
      return kit.verdicts.notApplicable(BYPASS, "it takes unsigned attempts without any flag");
    const named = bare.event.headers.map(([name]) => name);
    const { attempt = "" } = kit.target.provider.answer ?? {};
    const [, numbered] = /^header:([^#]+)$/.exec(attempt) ?? [];
    const made = (probes: readonly BypassProbe[]): readonly Attempt[] =>
      probes.flatMap(([what, change], index) =>
        strangers(kit, what, { row: kit.row(index) }).map((base) => ({
          ...base,
          ...change({ ...base, path: base.path ?? "" }),
        })),
      );
    const here = made(probesHere([...kit.signing.headers, ...named], numbered));
    await expectRefusedThenGenuine(kit, BYPASS, [...here, ...trials(kit)]);
    const elsewhere = await kit.observe(made(probesElsewhere), { retriesOnly429: true });
    for (const { what, runs, reply } of elsewhere)
      kit.expect(BYPASS, runs === 0, `${what}: a handler ran`, reply);
    return undefined;
  },
});

/** The attempts that anyone can make: without a signature, and with one by another secret. */
const strangers = (
  kit: KitSender,
  what: string,
  order: Partial<EventOrder> = {},
): readonly Attempt[] =>
  [kit.unsigned(order), kit.foreign(order)].map((base) => ({
    ...base,
    what: `${base.what} ${what}`,
  }));

/** Unsigned events of types and modes by which addresses are tried, unless the provider has them answered unsigned. */
function trials(kit: KitSender): readonly Attempt[] {
  const { events, target } = kit;
  const { handshakes = [], variants = [], event } = target.provider;
  const answered = handshakes.flatMap(({ when }) => when.map(({ equals }) => equals));
  const types = (events.isOpen ? trialTypes : []).filter((name) => !answered.includes(name));
  const live = typeof event.live === "string" ? event.live : event.live?.at;
  // A document's other forms of its events need the same signature.
  const forms = variants
    .flatMap(({ when }) => when)
    .filter(({ at, present }) => !at.startsWith("form:") && present !== false);
  const orders: readonly (readonly [what: string, order: Partial<EventOrder>])[] = [
    ...types.map((name) => {
      const type = events.withLastPart(events.rows[0]?.type ?? "", () => name);
      return [`of the type ${type}`, { type, data: { challenge: "cstest" } }] as const;
    }),
    ...(live === undefined ? [] : [false, "test"]).map(
      (mode) => [`of a test mode`, { more: { [String(live)]: mode } }] as const,
    ),
    ...forms.map(({ at, equals, startsWith }) => {
      const value = equals ?? startsWith ?? "1";
      return [`with ${value} at ${at}`, { more: { [at]: value } }] as const;
    }),
  ];
  const ordered = orders.flatMap(([what, order]) => strangers(kit, what, order));
  // A member that is missing equals a setting that is missing, too.
  const lacking = strangers(kit, "whose body lacks").flatMap((base) =>
    withoutEach(Buffer.from(base.body).toString()).map(([name, text]) => {
      return { ...base, body: Buffer.from(text), what: `${base.what} ${name}` };
    }),
  );
  return [...ordered, ...lacking];
}
