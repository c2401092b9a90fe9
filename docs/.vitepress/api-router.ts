import { type Application, Reflection, ReflectionKind, type RouterTarget } from "typedoc";
import { ModuleRouter } from "typedoc-plugin-markdown";

/**
 * The plugin's router without the anchors that it gives members first and then replaces: `Inbox.queue` would
 * take `inboxqueue`, and links to `InboxQueue` would lead to `inboxqueue-1`, which no heading has.
 */
class ApiRouter extends ModuleRouter {
  override buildAnchors(target: RouterTarget, page: RouterTarget): void {
    const isPage = page instanceof Reflection && page.kindOf(ReflectionKind.Module);
    if (!isPage || target.parent === page) super.buildAnchors(target, page);
  }
}

/** TypeDoc calls this. */
export function load({ renderer }: Application): void {
  renderer.defineRouter("api", ApiRouter);
}
