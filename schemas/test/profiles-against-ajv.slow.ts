import { profilesAgainstAjv } from "./profiles-against-ajv.ts";

profilesAgainstAjv(10_000);
