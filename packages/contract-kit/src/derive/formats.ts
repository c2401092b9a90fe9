import fc from "fast-check";

/** URLs like those of `webUrl` of fast-check, which takes seconds to build, since its paths use `binary`. */
const urls = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom("http", "https"),
      fc.domain({ size: "small" }),
      fc.stringMatching(/^(?:\/(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-F]{2})*)*$/, { size: "small" }),
    )
    .map(([scheme, host, path]) => `${scheme}://${host}${path}`);

/** `YYYY-MM-DDTHH:mm:ss.SSSZ`: the years that four digits can write. */
function timestamps(): fc.Arbitrary<string> {
  const [min, max] = [new Date("0000-01-01T00:00:00.000Z"), new Date("9999-12-31T23:59:59.999Z")];
  return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
}

interface Format {
  readonly example: string;
  readonly arbitrary: () => fc.Arbitrary<string>;
}

/** Texts of the formats that senders use. Of other formats any text is a value: a format is an annotation. */
export const formats: Readonly<Record<string, Format | undefined>> = {
  "date-time": { example: "2026-11-21T09:30:00.000Z", arbitrary: timestamps },
  date: { example: "2026-11-21", arbitrary: () => timestamps().map((text) => text.slice(0, 10)) },
  time: { example: "09:30:00Z", arbitrary: () => timestamps().map((text) => text.slice(11)) },
  uri: { example: "https://example.test/webhooks", arbitrary: urls },
  url: { example: "https://example.test/webhooks", arbitrary: urls },
  uuid: { example: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", arbitrary: () => fc.uuid() },
  email: { example: "ada@example.test", arbitrary: () => fc.emailAddress({ size: "small" }) },
  hostname: { example: "example.test", arbitrary: () => fc.domain({ size: "small" }) },
  ipv4: { example: "192.0.2.1", arbitrary: () => fc.ipV4() },
  ipv6: { example: "2001:db8::1", arbitrary: () => fc.ipV6() },
};
