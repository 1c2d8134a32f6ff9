/** Writes `.vite/packages.json`: the lockfile paths of the packages whose code is in the build. */
import { relative } from "node:path";
import type { Plugin } from "vite";

/** `repository` is the folder of the lockfile. */
export function bundledPackages(repository: string): Plugin {
  return {
    name: "bundled-packages",
    apply: "build",
    generateBundle(_, bundle) {
      const folders = Object.values(bundle)
        .flatMap((chunk) => (chunk.type === "chunk" ? Object.entries(chunk.modules) : []))
        .filter(([, module]) => module.renderedLength > 0)
        .map(([path]) => packageFolder(relative(repository, path.replace(/^\0/, ""))))
        .filter((folder) => folder !== undefined);
      const source = JSON.stringify([...new Set(folders)].sort());
      this.emitFile({ type: "asset", fileName: ".vite/packages.json", source });
    },
  };
}

/**
 * "node_modules/@tanstack/store/dist/index.js" becomes "node_modules/@tanstack/store"; undefined
 * for our own files.
 */
function packageFolder(path: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path.replaceAll("\\", "/"))?.[0];
}
