/** Puts our own drawing of icons in the place of the package's. */
import { join } from "node:path";
import type { Plugin } from "vite";

const factory = /[\\/]lucide-react[\\/].*[\\/]createLucideIcon\.mjs$/;

export function ownIcons(root: string): Plugin {
  let isReplaced = false;
  return {
    name: "own-icons",
    enforce: "pre",
    buildEnd(error) {
      // Another version of the package may have its factory elsewhere.
      if (error === undefined && !isReplaced)
        this.error("lucide-react has no createLucideIcon.mjs: see console/own-icons.ts");
    },
    async resolveId(source, importer, options) {
      if (!source.endsWith("/createLucideIcon.mjs")) return null;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      if (found === null || !factory.test(found.id)) return found;
      isReplaced = true;
      return join(root, "src/ui/build-icon.ts");
    },
  };
}
