import type { ProviderCheck } from "../../check.ts";
import { askRefund, isCreated, shown } from "./refunds.ts";
import { playOnce, type Unseen } from "../../harness/scenario.ts";
import { openBeside, type Session } from "../../harness/session.ts";
import { must } from "../../harness/violation.ts";

const ID = "P-REFUND-ID";
const ABSENT = "P-REFUND-NOT-FOUND";
const OF_REFUND = "P-REFUND-OF-REFUND";
const FAILED_FIRST = "P-REFUND-FAILED-FIRST";
const requirements = [ID, ABSENT, OF_REFUND, FAILED_FIRST, "P-ANSWER-SCHEMA"];

/** What a refund may be of, and what its answer names. */
export const refundEdges: ProviderCheck = {
  id: "provider/refund-edges",
  title: "a refund names itself, and is refused of what is no debit of the merchant",
  role: "provider",
  requirements,
  run: (target, context) => playOnce({ requirements, needs: ["payments"], play }, target, context),
};

async function play(session: Session): Promise<Unseen | void> {
  const { payments } = session.controls;
  const { profile } = session.target;
  const made = await payments?.create(1000n);
  if (payments === undefined || made === undefined) return undefined;
  const ask = (paymentId: string, amount: string, asker = session) =>
    askRefund(asker, { paymentId, amount, requestKey: asker.key() });

  const refund = await ask(made.paymentId, "1.00");
  const second = await ask(made.paymentId, "1.00");
  const ids = [refund, second].map(({ body }) => body["paymentId"]);
  const isOriginal = ids.every((id) => id === made.paymentId);
  const isOwn = new Set([...ids, made.paymentId]).size === 3;
  const isRight = profile.refund.responsePaymentId === "original" ? isOriginal : isOwn;
  must(ID, isRight, () => {
    const wanted =
      profile.refund.responsePaymentId === "original" ? "the debit's id" : "ids of their own";
    return `two refunds of ${made.paymentId}: ${wanted} expected, ${ids.join(" and ")} came`;
  });

  const absent = await ask("pay_that_is_not_there", "1.00");
  must(
    ABSENT,
    absent.status === 404,
    () => `an unknown payment: 404 expected, ${shown(absent)} came`,
  );
  const other = await openBeside(session);
  const foreign = other === undefined ? absent : await ask(made.paymentId, "1.00", other);
  must(
    ABSENT,
    foreign.status === 404,
    () => `another's payment: 404 expected, ${shown(foreign)} came`,
  );

  if (isOwn) {
    const again = await ask(String(refund.body["paymentId"]), "0.01");
    must(OF_REFUND, again.status === profile.statuses.business, () => {
      return `a refund of a refund: ${profile.statuses.business} expected, ${shown(again)} came`;
    });
  }

  if (payments.fail === undefined)
    return { [FAILED_FIRST]: "there is no control that lets a payment fail" };
  await payments.fail(made.paymentId);
  const beyond = await ask(made.paymentId, "9999.00");
  must(
    FAILED_FIRST,
    isCreated(beyond, profile) && beyond.body["paymentStatus"] === "TERMINAL_FAILED",
    () => `too much of a failed payment: TERMINAL_FAILED expected, ${shown(beyond)} came`,
  );
  return undefined;
}
