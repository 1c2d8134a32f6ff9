import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

let hasStarted = false;

/**
 * Preloads the code of the other pages, one after the other while the browser is idle, once per
 * visit.
 */
export function usePreloadedPages(paths: readonly string[]) {
  const router = useRouter();
  useEffect(() => {
    if (hasStarted || paths.length === 0 || savesData()) return;
    hasStarted = true;
    void (async () => {
      for (const to of paths) {
        await idle();
        await router.preloadRoute({ to });
      }
    })();
  }, [router, paths]);
}

const savesData = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Safari has no `requestIdleCallback`. */
const idle = () =>
  new Promise<unknown>((resolve) =>
    (window.requestIdleCallback ?? ((act) => setTimeout(act, 200)))(resolve),
  );
