import { errorsOf } from "@countersign/contract-kit/derive";
import { type EventsDocument, typedForms } from "@countersign/contract-kit/documents";
import type { ProviderDocument } from "@countersign/schemas/providers";
import { validateEvent } from "@countersign/schemas/writers";

interface Findings {
  /** The schema. */
  readonly by: string;
  readonly faults: readonly { readonly pointer: string; readonly message: string }[];
}

/** Validates a body by the schema of its type: the reference provider's, or that of the document of `--openapi`. */
export function findingsOf(
  provider: ProviderDocument,
  document: EventsDocument | undefined,
  { type, body }: { readonly type: string; readonly body: Uint8Array },
): Findings | null {
  const value = parsed(body);
  const row = provider.catalogue?.find((one) => one.type === type);
  if (row?.kind !== undefined) {
    const judged = validateEvent(value);
    return { by: `the schema of ${type}`, faults: judged.ok ? [] : judged.errors };
  }
  if (document === undefined) return null;
  const { form } = typedForms(document, provider).find((one) => one.type === type) ?? {};
  if (form === undefined) return null;
  const schema = { schema: form.schema, source: document, place: type };
  return { by: `the schema of ${type} in ${document.title}`, faults: errorsOf(schema, value) };
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
