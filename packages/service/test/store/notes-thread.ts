import { answerAsThread } from "../../src/store/sqlite/answer-as-thread.ts";
import { end, fail, insert } from "./note-operations.ts";

answerAsThread([insert, fail, end]);
