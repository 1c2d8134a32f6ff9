import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

let hasStarted = false;

/** The code of the pages that may come next, one after another while the browser has nothing else to do, once a visit. */
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

const savesData = () => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Safari does not say when it is idle. */
const idle = () =>
  new Promise<unknown>((resolve) => (window.requestIdleCallback ?? ((act) => setTimeout(act, 200)))(resolve));
