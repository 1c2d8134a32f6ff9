import { createRouter } from "@tanstack/react-router";
import { ErrorPage } from "./features/errors/error-page.tsx";
import { routeTree } from "./routes.tsx";
import { parseSearchParams, stringifySearchParams } from "./shell/search-params.ts";
import { basePath } from "./site-path.ts";

export const router = createRouter({
  routeTree,
  basepath: basePath,
  parseSearch: parseSearchParams,
  stringifySearch: stringifySearchParams,
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
  /** State that one page passes to the next outside of the URL. */
  interface HistoryState {
    message?: string;
    tone?: "good" | "warn" | "bad" | "info";
    /** The entry was added by opening a dialog, so that closing it goes back. */
    opensDialog?: boolean;
  }
}
