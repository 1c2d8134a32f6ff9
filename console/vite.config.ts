import { join } from "node:path";
import { lingui, linguiTransformerBabelPreset } from "@lingui/vite-plugin";
import babel from "@rolldown/plugin-babel";
import tailwindcss from "@tailwindcss/vite";
import react, { reactCompilerPreset } from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { bundledPackages } from "./bundled-packages.ts";
import { contractCalls } from "./contract-calls.ts";
import { preloads } from "./preloads.ts";
import { sharedChunks } from "./shared-chunks.ts";

const gateway = process.env.GATEWAY_URL ?? "http://localhost:3000";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    react(),
    lingui({ cwd: import.meta.dirname }),
    // Presets run last to first: the macros become plain calls before the compiler reads the components.
    // English travels with the code of its page; only other languages have a catalogue, and load it.
    babel({
      plugins: [await contractCalls()],
      presets: [
        reactCompilerPreset(),
        linguiTransformerBabelPreset({ descriptorFields: "message" }, { cwd: import.meta.dirname }),
      ],
    }),
    tailwindcss(),
    preloads(import.meta.dirname),
    bundledPackages(join(import.meta.dirname, "..")),
  ],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    // The gateway reads the manifest to preload what the asked path needs.
    manifest: true,
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // What every page loads anyway, as one file: cut apart by who shares it, it was nine and 4 kB more.
        // The schema library only looks as if it were among it: what the first pages import of the contract uses none.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: "console", tags: ["$initial"], test: /^(?!.*[\\/]node_modules[\\/]zod[\\/])/ },
            { name: sharedChunks(import.meta.dirname), minShareCount: 2 },
            { name: "icons", test: /[\\/]lucide-react[\\/].*[\\/]icons[\\/]/, minShareCount: 2 },
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
