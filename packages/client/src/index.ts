export type { Customer, Refund, RefundRequest } from "@countersign/schemas";
