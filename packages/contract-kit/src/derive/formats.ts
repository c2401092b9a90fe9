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

/** Texts of the formats that senders use. Of other formats any text is a value: a format is an annotation. */
export const formatted: Readonly<Record<string, (() => fc.Arbitrary<string>) | undefined>> = {
  "date-time": timestamps,
  date: () => timestamps().map((text) => text.slice(0, 10)),
  time: () => timestamps().map((text) => text.slice(11)),
  uri: urls,
  url: urls,
  "uri-template": urls,
  uuid: () => fc.uuid(),
  email: () => fc.emailAddress({ size: "small" }),
  hostname: () => fc.domain({ size: "small" }),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  byte: () => fc.base64String(),
};
