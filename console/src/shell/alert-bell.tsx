import { lazy, Suspense } from "react";
import { hasFeature, isAdmin, isHeldBack, useSession } from "../session.ts";

const AlertMenu = lazy(async () => ({ default: (await import("./alert-menu.tsx")).AlertMenu }));

/** The place of the bell, so that nothing beside it moves when it loads. */
export function AlertBell() {
  const { user, status } = useSession();
  if (isHeldBack(user) || !isAdmin(user) || !hasFeature(status, "alerts")) return null;
  return (
    <div className="size-9 shrink-0">
      <Suspense>
        <AlertMenu />
      </Suspense>
    </div>
  );
}
