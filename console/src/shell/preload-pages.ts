import { type AnyRoute, type RegisteredRouter, useRouter } from "@tanstack/react-router";
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

/**
 * Loads the code of the page of a pressed link. The press goes on to wait for the rows of a list
 * (`guard.ts`), and the code would follow only then. Nothing is done for code that is there.
 */
export function loadPageCode(router: RegisteredRouter, path: string) {
  const routes: Readonly<Record<string, AnyRoute>> = router.routesByPath;
  for (let route = routes[path]; route !== undefined; route = route.parentRoute)
    // A load that fails is tried again by the page, which tells.
    void route.options.component?.preload?.()?.catch(() => {});
}

const savesData = () =>
  (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

/** Safari has no `requestIdleCallback`. */
const idle = () =>
  new Promise<unknown>((resolve) =>
    (window.requestIdleCallback ?? ((act) => setTimeout(act, 200)))(resolve),
  );
