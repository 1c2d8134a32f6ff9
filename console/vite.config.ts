import { join } from "node:path";
import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { bundledPackages } from "./bundled-packages.ts";
import { compressedFiles } from "./compressed-files.ts";
import { contractCalls } from "./contract-calls.ts";
import { firstRequestsInHead } from "./first-requests-in-head.ts";
import { ownIcons } from "./own-icons.ts";
import packageJson from "./package.json" with { type: "json" };
import { preloadBelowBase } from "./preload-below-base.ts";
import { preloads } from "./preloads.ts";
import { sharedChunks } from "./shared-chunks.ts";
import { wordParts } from "./word-parts.ts";

/**
 * `drawsMuch` is what draws much at each keystroke or move of the pointer, and so gains by the
 * compiler. Everywhere else the caches that it adds are half of the code: 15 kB of each list
 * (docs/decisions/0038).
 */
const drawsMuch =
  /\/console\/src\/(ui\/chart|features\/(dashboard|models|playground)|components\/(?:\w+\/)?(model-|rich-text))/;
const reactCompiler = reactCompilerPreset();
reactCompiler.rolldown.filter = { ...reactCompiler.rolldown.filter, id: drawsMuch };

const hashedName = "assets/[name]-[hash:7].js";
const gateway = process.env.GATEWAY_URL ?? "http://localhost:3000";
// The footer names the build.
process.env.VITE_APP_VERSION ??= packageJson.version;

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    ownIcons(import.meta.dirname),
    lingui({ cwd: import.meta.dirname }),
    // Presets run last to first: the Lingui macros become plain calls before the React compiler
    // runs. The English messages stay in the code; only other languages load a catalogue.
    babel({
      plugins: [await contractCalls()],
      presets: [
        reactCompiler,
        linguiTransformerBabelPreset({ descriptorFields: "message" }, { cwd: import.meta.dirname }),
      ],
    }),
    tailwindcss(),
    firstRequestsInHead(),
    wordParts(import.meta.dirname),
    preloadBelowBase(),
    preloads(import.meta.dirname),
    bundledPackages(join(import.meta.dirname, "..")),
    compressedFiles(),
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The gateway reads the manifest to preload the chunks of the requested path.
    manifest: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Every page loads the names of all files. Seven characters, the fewest that the bundler
        // takes, tell versions apart.
        ...{ entryFileNames: hashedName, chunkFileNames: hashedName },
        // Everything that all pages load, as one chunk: split by importers it was nine chunks and 4
        // kB more. Without zod, which the entry imports only through parts of the contract that
        // `contract-calls.ts` removes.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "console", tags: ["$initial"], test: /^(?!.*[\\/]node_modules[\\/]zod[\\/])/ },
            { name: sharedChunks(import.meta.dirname), minShareCount: 2 },
          ],
        },
      },
    },
  },
  server: {
    port: 5173,
    proxy: {
      "/api": gateway,
      "/v1": gateway,
    },
  },
});
