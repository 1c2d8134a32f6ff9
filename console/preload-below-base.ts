/**
 * A Vite plugin that lets modules be preloaded below the path of the site.
 *
 * Why: Vite writes the addresses of preloaded modules from the root of the host. Its relative base
 * costs each `import()` of the console some bytes, and its `renderBuiltUrl` each preloaded file. A
 * page whose first script did not run is at the root.
 *
 * Relies on: the one function of Vite's preload helper that makes an address of a file. Where it is
 * written otherwise, the build fails.
 */
import type { Plugin } from "vite";

const fromRoot = /return\s*["'`]\/["'`]\s*\+\s*dep\b/;

export function preloadBelowBase(): Plugin {
  return {
    name: "preload-below-base",
    apply: "build",
    transform: {
      filter: { id: /vite\/preload-helper/ },
      handler(code) {
        if (!fromRoot.test(code)) this.error("Vite's preload helper has another form");
        return {
          code: code.replace(fromRoot, 'return (globalThis.siteBasePath ?? "") + "/" + dep'),
          map: null,
        };
      },
    },
  };
}
