// oxlint-disable-next-line import/no-unassigned-import -- declares JSON.rawJSON
import "../../packages/service/src/use-cases/resources.ts";
