import type { Profile } from "@countersign/schemas/profiles";
import type { Driver } from "@countersign/service";
import { openSandbox, type TestSandbox } from "../open-sandbox.ts";

/** A sandbox that is called over HTTP only, and can be stopped and started again over its database. */
export interface Live {
  readonly call: TestSandbox["call"];
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function openLive(connect: () => Driver, profile: Profile): Promise<Live> {
  const ends: (() => void | Promise<void>)[] = [];
  const start = (): Promise<TestSandbox> =>
    openSandbox({ driver: connect(), profile }, (end) => ends.push(end));
  let one = await start();
  const close = async (): Promise<void> => {
    await one.sandbox.close({ graceMs: 1000 });
    for (const end of ends.splice(0).toReversed()) await end();
  };
  return {
    call: (...call) => one.call(...call),
    restart: async () => {
      await close();
      one = await start();
    },
    close,
  };
}
