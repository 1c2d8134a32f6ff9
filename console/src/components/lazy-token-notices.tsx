import { lazy, Suspense } from "react";
import { hasFeature, useSession } from "../session.ts";
import { PartBoundary } from "../ui/part-boundary.tsx";

const TokenNotices = lazy(async () => ({ default: (await import("./token-notices.tsx")).TokenNotices }));

/** On the pages that a user sees first after signing in. */
export function LazyTokenNotices() {
  const { status } = useSession();
  if (!hasFeature(status, "all_tokens")) return null;
  return (
    <PartBoundary>
      <Suspense>
        <TokenNotices />
      </Suspense>
    </PartBoundary>
  );
}
