import { hasFeature, useSession } from "../../session.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const TokenNotices = buildLazyPart(async () => (await import("./token-notices.tsx")).TokenNotices);

/** `LazyTokenNotices` is for the pages that a user sees first after signing in. */
export function LazyTokenNotices() {
  const { status } = useSession();
  return hasFeature(status, "all_tokens") ? <TokenNotices /> : null;
}
