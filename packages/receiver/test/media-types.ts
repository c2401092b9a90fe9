const tab = "\t";

/** Strings that got past other frameworks' validation, by their advisories. */
export const publishedBypasses: Readonly<Record<string, string>> = {
  "CVE-2025-32442: another case and white space": "application/ json",
  "CVE-2026-25223: a tab before a parameter": `application/json${tab}a`,
  "CVE-2026-3419: junk after the type": "application/json garbage",
  "GHSA-92p4-j3wq-jmqx: another type in front": "text/plain, application/json",
};

const other =
  "text/plain|text/json|text/x-json|application/xml|application/javascript|application/x-json|" +
  "application/x-www-form-urlencoded|multipart/form-data; boundary=x|application/octet-stream|" +
  "application/jsonp|application/json5|application/jsonl|application/x-ndjson|application/+json|" +
  'application/json+xml|application/json-patch|application/*|*/*|json|application//json|"application/json"';
const suffixes =
  "/|,|, application/json|, text/plain|;|; |;;charset=utf-8| charset=utf-8|; charset|; charset=|" +
  "; charset=utf8|; charset=utf-16|; charset=utf-16le|; charset=utf-7|; charset=latin1|" +
  `; charset=iso-8859-1|; charset='utf-8'|; charset="utf-8|; charset=utf-8"|; charset=utf-8; boundary=x|` +
  "; charset=utf-8; charset=utf-16|; boundary=x|; version=1|; q=0.5|; charset =utf-8|; charset= utf-8|" +
  ` #|\\|;${tab}charset=utf-8;`;

/** Fifty more that are not, or not plainly, JSON in UTF-8. */
export const refusedMediaTypes: readonly string[] = [
  ...other.split("|"),
  ...suffixes.split("|").map((suffix) => `application/json${suffix}`),
];

export const acceptedMediaTypes: readonly string[] = [
  "application/json",
  "APPLICATION/JSON",
  "application/json;charset=utf-8",
  "application/json; charset=UTF-8",
  'application/json ; charset="utf-8"',
  `application/json;${tab}charset=utf-8`,
  "application/cloudevents+json",
];
