import type { CheckRunner } from "./check-runner.ts";

/** Serves the inspector's page at `/inspector/`. */
export interface InspectorOptions {
  /** Folder of the page's static files; its `index.html` is the page. */
  readonly folder: string;
  /** The bearer token of the namespace that the page shows. */
  readonly token: string;
  /** Opens the page: 128 random bits or more, new in each run. It stands in the fragment of the printed URL. */
  readonly key: string;
  /** The one address that the page may subscribe, with its secret. Default: the page subscribes none. */
  readonly target?: { readonly url: string; readonly secret: string };
  /** Runs the checks of a receiver against `target`. Default: the page runs none. */
  readonly checks?: CheckRunner;
}
