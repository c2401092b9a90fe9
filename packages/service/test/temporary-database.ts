import { join } from "node:path";
import { temporaryFolder, type AtEnd } from "../../../test/temporary-folder.ts";

/** Path of a database file that exists until the end, by default of the running test. */
export const temporaryDatabase = (atEnd?: AtEnd): string =>
  join(temporaryFolder(atEnd), "service.db");
