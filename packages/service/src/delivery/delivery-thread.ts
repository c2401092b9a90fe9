import { answerAsThread } from "../store/sqlite/answer-as-thread.ts";
import { claimOperation } from "./claim.ts";
import { settleOperation } from "./settle.ts";

// The whole of a thread that claims and settles beside the one that signs and sends.
answerAsThread([claimOperation, settleOperation]);
