import { answerAsThread } from "../../src/store/answer-as-thread.ts";
import { end, fail, write } from "./note-operations.ts";

answerAsThread([write, fail, end]);
