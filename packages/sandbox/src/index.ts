export {
  startSandbox,
  type Profile,
  type Sandbox,
  type Seeded,
  type StartOptions,
} from "@countersign/service/sandbox";
