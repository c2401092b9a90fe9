export type { Profile } from "@countersign/schemas";
