export { default } from "../../packages/dev/src/site/config.ts";
