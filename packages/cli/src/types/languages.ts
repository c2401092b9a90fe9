import { csharp } from "./languages/csharp.ts";
import { go } from "./languages/go.ts";
import { java } from "./languages/java.ts";
import { kotlin } from "./languages/kotlin.ts";
import { python } from "./languages/python.ts";
import { ruby } from "./languages/ruby.ts";
import { rust } from "./languages/rust.ts";
import { swift } from "./languages/swift.ts";
import { typescript } from "./languages/typescript.ts";
import type { Language } from "./language.ts";

/** What `--language` may be. */
export const languages: Readonly<Record<string, Language>> = {
  typescript,
  python,
  go,
  java,
  kotlin,
  csharp,
  ruby,
  rust,
  swift,
};
