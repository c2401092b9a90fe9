import type { ReceiverCheck } from "../../check.ts";
import { receiverCheck } from "../../harness/play.ts";
import { NO_EFFECTS } from "../../harness/effects.ts";

const EXACT = "R-MONEY-EXACT";

/** Amounts that binary fractions, and their products with 100, do not hit. */
const AMOUNTS = [
  ["0.01", "1"],
  ["0.29", "29"],
  ["0.57", "57"],
  ["1.1", "110"],
  ["1.10", "110"],
  ["4.35", "435"],
  ["8.2", "820"],
  ["19.99", "1999"],
  ["64.1", "6410"],
  ["1025.12", "102512"],
  ["99999999.99", "9999999999"],
] as const;

/** Payments whose amounts their handlers show in cents. */
export const money: ReceiverCheck = receiverCheck({
  id: "receiver/money",
  title: "amounts reach a handler to the cent",
  requirements: [EXACT],
  play: async (bench) => {
    const { docket, target } = bench;
    const row = target.profile.catalogue.find(({ kind }) => kind === "payment.created");
    if (target.effects === undefined || row === undefined) {
      docket.unseen(
        EXACT,
        row === undefined ? "no event of the profile has an amount" : NO_EFFECTS,
      );
      return;
    }
    const events = AMOUNTS.map(([text]) => {
      const event = bench.event({ row, data: { amount: { currency: "USD", value: "cstest" } } });
      const body = Buffer.from(event.body.toString().replace('"cstest"', text));
      return { ...event, body };
    });
    const replies = await bench.postAll(events.map((event) => bench.attempt(event)));
    const effects = await bench.effects(
      events.filter((_, index) => replies[index]?.isAcknowledged).map(({ id }) => id),
    );
    AMOUNTS.forEach(([text, cents], index) => {
      const effect = effects?.get(events[index]?.id ?? "");
      if (effect?.amountCents === undefined) return;
      docket.judge(
        EXACT,
        effect.amountCents === cents,
        () => `${text} dollars: ${cents} cents expected, ${effect.amountCents} reached the handler`,
        () => [replies[index]].flatMap((reply) => reply?.exchange() ?? []),
      );
    });
    docket.unseen(EXACT, "its effects have no amountCents");
  },
});
