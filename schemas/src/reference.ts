const REFERENCE = "https://github.com/countersign/countersign/blob/main/docs/reference/";

/**
 * Returns the address at which the reference explains a code or a requirement. Neither is ever renamed, so the
 * addresses stay valid.
 */
export const referencePage = (page: "codes" | "requirements", id: string): string =>
  `${REFERENCE}${page}.md#${id.toLowerCase()}`;
